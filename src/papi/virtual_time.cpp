#include "papi/virtual_time.h"

#include <algorithm>
#include <optional>

#include <ringside/clocks.h>

#include "platform/cpu_model.h"
#include "platform/cpuid.h"
#include "platform/hypervisor.h"

namespace ringside::papi {

namespace {

// One for all threads; opened by the first that asks, which takes some 100 ms in a virtual machine.
const Clocks& clocks() {
    static const Clocks& opened = *new Clocks(Clocks::open());
    return opened;
}

bool bare_metal() {
    const base::SysRoot root;
    const auto hypervisor =
        platform::read_hypervisor(root, platform::Cpuid::live(), platform::read_cpu_model(root));
    return !hypervisor.virtualized.value.value_or(true);
}

bool cpu_time_is_right() {
    if (bare_metal()) return true;
    return clocks().steal_accounting().answer == StealAccounting::Answer::excludes;
}

// A thread's clock counts from its opening; what the thread had used before is added.
class ThreadClock {
  public:
    std::uint64_t read() {
        if (!opened_) open();
        const std::uint64_t cpu_ns = thread_cpu_ns();
        if (!clock_) return cpu_ns;
        const auto compensated_ns = clock_->read().compensated_ns;
        // Steal that is not known cannot be taken off; time must not run backwards all the same.
        last_ns_ = std::max(last_ns_, compensated_ns ? before_ns_ + *compensated_ns : cpu_ns);
        return last_ns_;
    }

  private:
    void open() {
        opened_ = true;
        auto clock = clocks().thread();
        before_ns_ = thread_cpu_ns();
        if (clock) clock_.emplace(std::move(*clock));
    }

    bool opened_ = false;
    std::optional<Clock> clock_;
    std::uint64_t before_ns_ = 0;
    std::uint64_t last_ns_ = 0;
};

}  // namespace

std::uint64_t thread_virtual_ns() {
    static const bool plain = cpu_time_is_right();
    if (plain) return thread_cpu_ns();
    thread_local ThreadClock clock;
    return clock.read();
}

}  // namespace ringside::papi
