#include "record/clock_facts.h"

#include <fmt/format.h>
#include <sched.h>

#include <ringside/clocks.h>

#include "base/text.h"

namespace ringside::record {

perf::ContextItem clock_reading() {
    // Who is interrupted between the readings has a wide bracket; one of these is narrow.
    constexpr int tries = 32;
    std::uint64_t time_ns = 0;
    std::uint64_t ticks = 0;
    std::uint64_t error = ~std::uint64_t{0};
    int cpu = 0;
    for (int i = 0; i < tries; ++i) {
        const int here = ::sched_getcpu();
        const std::uint64_t before = cycles();
        const std::uint64_t now_ns = real_ns();
        const std::uint64_t after = cycles();
        const std::uint64_t half = (after - before + 1) / 2;
        if (here < 0 || here != ::sched_getcpu() || after < before || half >= error) continue;
        time_ns = now_ns;
        ticks = before + half;
        error = half;
        cpu = here;
    }
    return {"clock_reading", fmt::format("{} {} {} {}", time_ns, ticks, error, cpu)};
}

// /sys/kernel/debug/kvm/PID-FD/vcpuN/tsc-offset, and tsc-scaling-ratio where the CPU can scale.
void GuestCounters::look(const base::SysRoot& root) {
    const std::string top = "/sys/kernel/debug/kvm";
    for (const auto& vm : root.list(top).value_or({})) {
        const auto pid = base::parse_u64(vm.substr(0, vm.find('-')));
        if (!pid) continue;
        for (const auto& name : root.list(top + "/" + vm).value_or({})) {
            const auto vcpu = name.starts_with("vcpu") ? base::parse_u64(name.substr(4))
                                                       : std::optional<std::uint64_t>();
            if (!vcpu) continue;
            const std::string folder = top + "/" + vm + "/" + name + "/";
            const auto offset = root.read_trimmed(folder + "tsc-offset");
            if (!offset) continue;
            const auto ratio = root.read_trimmed(folder + "tsc-scaling-ratio");
            const auto bits = root.read_trimmed(folder + "tsc-scaling-ratio-frac-bits");
            const bool scaled = ratio && bits;
            lines_[folder] = fmt::format("{} {} {} {} {}", *pid, *vcpu, *offset,
                                         scaled ? *ratio : "1", scaled ? *bits : "0");
        }
    }
}

perf::Context GuestCounters::items() const {
    perf::Context context;
    for (const auto& [folder, line] : lines_) context.push_back({"kvm_tsc", line});
    return context;
}

}  // namespace ringside::record
