// The soft PMU of a machine, seen from inside: perf events of driver/, whose counts are read with
// plain loads. Where a thread's counter lies now is on perf's own page of the event; the counter
// itself on the page that the machine shares with the plugin.
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
    static Result<MachinePage> map(const std::string& device = "/dev/ringside_soft");
    static Result<MachinePage> over(base::Mmap memory);

    unsigned vcpu_count() const { return reader_.header().vcpu_count; }
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
            value = static_cast<std::uint64_t>(control.offset) +
                    vpmu::page_detail::load(vcpu->counter[place % VPMU_PAGE_COUNTERS].raw);
            std::atomic_thread_fence(std::memory_order_acquire);
            if (control.lock == sequence) [[likely]]
                return true;
        }
        return false;
    }

  private:
    explicit MachinePage(base::Mmap memory)
        : memory_(std::move(memory)), reader_(memory_.data(), memory_.size_bytes()) {}

    base::Mmap memory_;
    vpmu::PageReader reader_;
};

// perf's number for the driver's PMU; nothing where it is not loaded.
std::optional<std::uint32_t> machine_pmu(const base::SysRoot& root);

session::ComponentPtr make_in_machine(const base::SysRoot& root);

}  // namespace ringside::components::soft
