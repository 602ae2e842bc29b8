// A machine's shared page, seen from inside: perf events of driver/, whose counts are read without
// the kernel. Where a thread's counter lies now is on perf's own page of the event; the counter
// itself on the page that the machine shares with the soft PMU's plugin, or is the CPU's, and the
// page that our hypervisor shares says what it means.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <ringside/result.h>

#include "base/mmap.h"
#include "base/sys_root.h"
#include "perf/user_read.h"
#include "session/component.h"
#include "vpmu/page_reader.h"

namespace ringside::components::soft {

// The page of the machine, mapped; what each vCPU counted since it began.
class MachinePage {
  public:
    // Fails where there is none, or not for this user.
    static Result<MachinePage> map(const std::string& device);
    static Result<MachinePage> over(base::Mmap memory);

    unsigned vcpu_count() const { return reader_.header().vcpu_count; }
    // Does the page hold the counters themselves? Else only a thread reads, where it runs.
    bool is_live() const { return (reader_.header().flags & VPMU_PAGE_RAW_IS_LIVE) != 0; }
    bool read_vcpu(unsigned vcpu, unsigned counter, std::uint64_t& value) const {
        return reader_.read_raw(vcpu, counter, value);
    }

    // Of a perf event: sum + now - start, of which perf's page has the first and the last as
    // `offset`. False while the event is on no CPU, and for a page that never settles.
    bool read_event(perf::ControlPage& control, std::uint64_t& value) const {
        constexpr unsigned most_attempts = 1000;
        for (unsigned attempt = 0; attempt < most_attempts; ++attempt) {
            const std::uint32_t sequence = control.lock;
            std::atomic_thread_fence(std::memory_order_acquire);
            const std::uint32_t place = control.index - 1;
            const vpmu_page_vcpu* vcpu = reader_.vcpu(place / VPMU_PAGE_COUNTERS);
            if (vcpu == nullptr) return false;
            std::uint64_t count = 0;
            if (!read_here(*vcpu, place % VPMU_PAGE_COUNTERS, count)) return false;
            value = static_cast<std::uint64_t>(control.offset) + count;
            std::atomic_thread_fence(std::memory_order_acquire);
            if (control.lock == sequence) [[likely]]
                return true;
        }
        return false;
    }

  private:
    // Of the vCPU we are on, or else the caller finds out and asks again.
    bool read_here(const vpmu_page_vcpu& vcpu, unsigned counter, std::uint64_t& count) const {
        if (is_live()) [[likely]] {
            count = vpmu::page_detail::load(vcpu.counter[counter].raw);
            return true;
        }
#if defined(__aarch64__)
        // Only logical counters are for programs to read, and none of them is a fixed one.
        return is_logical_ && counter < VPMU_PAGE_FIXED &&
               vpmu::read_vcpu_count(
                   vcpu, counter, [](unsigned index) { return perf::read_register(index); }, count);
#else
        return false;
#endif
    }

    explicit MachinePage(base::Mmap memory)
        : memory_(std::move(memory)), reader_(memory_.data(), memory_.size_bytes()) {
        const auto* policy = vpmu::find_traits(reader_.header().policy);
        is_logical_ = policy != nullptr && policy->reach == vpmu::Reach::by_hypercall;
    }

    base::Mmap memory_;
    vpmu::PageReader reader_;
    [[maybe_unused]] bool is_logical_ = false;
};

// The driver's PMU: perf's name and number for it. Nothing where it is not loaded.
struct MachinePmu {
    std::string name;  // "ringside_soft", or "ringside_vpmu" on our hypervisor
    std::uint32_t type = 0;

    bool is_soft() const { return name == "ringside_soft"; }
};
std::optional<MachinePmu> machine_pmu(const base::SysRoot& root);

session::ComponentPtr make_in_machine(const base::SysRoot& root);

}  // namespace ringside::components::soft
