// What a machine's own kernel sees of its counters: a page in the memory of QEMU's ivshmem device,
// and a doorbell for each vCPU. It is a copy: the guest may write what it likes there, and gets
// what it deserves; nothing the plugin counts or reports is ever read from it, but for the alarms,
// which are wishes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "abi/vpmu_page.h"
#include "softpmu/block.h"

namespace ringside::softpmu {

class GuestPage {
  public:
    struct Layout {
        std::uint32_t vcpus = 0;
        Guest guest = Guest::x86_64;
        std::uint64_t counters = 0;  // those that count, by page index
    };

    // Makes the page, and hands it and the doorbells to the ivshmem device at the other end of
    // `socket`, as QEMU's ivshmem protocol has it. 0, or the errno; one in a process.
    int open(int socket, const Layout& layout);
    // Made, and given to nobody: for tests. `memory` is zeroed.
    bool format(std::span<std::byte> memory, const Layout& layout);
    static std::size_t bytes_for(std::uint32_t vcpus);

    bool is_open() const { return vcpus_ != nullptr; }
    // A vCPU that the page has no room for has a place that nobody sees.
    vpmu_page_vcpu& vcpu(std::uint32_t index) { return index < count_ ? vcpus_[index] : unseen_; }
    vpmu_page_alarms& alarms(std::uint32_t index) {
        return index < count_ ? alarms_[index] : unseen_alarms_;
    }

    // Whether the counters stand still, which their readers cannot see. While no vCPU runs.
    void set_starved(bool starved);

    // The count of `counter` has come to `now`, by `amount` more than before: as many samples as
    // the guest asked for, and its doorbell. `address(n)` is where the count was `now` - n. From
    // the vCPU's own thread.
    template <typename Address>
    void sound(std::uint32_t index, unsigned counter, std::uint64_t now, std::int64_t amount,
               Address address) {
        if (amount <= 0) return;
        // Another vCPU may write them meanwhile: each is loaded once, so that the samples are never
        // more than what was counted.
        std::atomic_ref limit(alarms(index).counter[counter].limit);
        std::atomic_ref wanted(alarms(index).counter[counter].period);
        const auto period = std::max<std::uint64_t>(wanted.load(std::memory_order_relaxed), 1);
        // A limit that was passed before it was set comes due now.
        std::uint64_t due = std::max(limit.load(std::memory_order_relaxed),
                                     now - static_cast<std::uint64_t>(amount) + 1);
        for (; due <= now; due = due > VPMU_PAGE_NEVER - period ? VPMU_PAGE_NEVER : due + period) {
            add_sample(index, counter, address(now - due));
        }
        limit.store(due, std::memory_order_relaxed);
        ring(index);
    }

  private:
    void add_sample(std::uint32_t index, unsigned counter, std::uint64_t ip);
    void ring(std::uint32_t index);

    std::uint32_t count_ = 0;
    vpmu_page_vcpu* vcpus_ = nullptr;
    vpmu_page_alarms* alarms_ = nullptr;
    vpmu_page_sample* ring_ = nullptr;
    std::vector<std::uint64_t> heads_;  // how many samples each vCPU has: ours, not the page's
    std::vector<int> doorbells_;
    std::vector<std::int64_t> in_a_hurry_until_ns_;
    std::int64_t starved_since_ns_ = 0;  // 0: they are not
    vpmu_page_vcpu unseen_{};
    vpmu_page_alarms unseen_alarms_{};
};

}  // namespace ringside::softpmu
