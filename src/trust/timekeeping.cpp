#include "trust/timekeeping.h"

#include <fmt/format.h>

#include <ringside/clocks.h>

#include "clocks/host_time.h"

namespace ringside::trust {

namespace {

constexpr std::uint64_t span_ns = 20'000'000;

// One look at both clocks; `width_ns` is how far apart the two readings may lie.
struct Look {
    std::uint64_t cycles = 0;
    std::uint64_t at_ns = 0;
    std::uint64_t width_ns = 0;
};

// The tightest of a few, since we may lose the CPU between two readings.
Look look() {
    Look best{0, 0, UINT64_MAX};
    for (int i = 0; i < 16; ++i) {
        const std::uint64_t before_ns = real_ns();
        const std::uint64_t counted = cycles();
        const std::uint64_t after_ns = real_ns();
        const std::uint64_t width_ns = after_ns - before_ns;
        if (width_ns < best.width_ns) best = {counted, before_ns + width_ns / 2, width_ns};
    }
    return best;
}

void compare_rates(TimeReport& report) {
    const Look first = look();
    while (real_ns() - first.at_ns < span_ns) {
    }
    const Look last = look();
    const auto passed_ns = static_cast<double>(last.at_ns - first.at_ns);
    const double hz = static_cast<double>(last.cycles - first.cycles) * 1e9 / passed_ns;
    const double error = static_cast<double>(first.width_ns + last.width_ns) / 2 / passed_ns;
    const CycleRate claimed = cycle_rate();
    report.cycles_per_second = hz;
    report.cycles_reason =
        fmt::format("counted over {:.0f} ms, within {:.1g} %", passed_ns / 1e6, 100 * error);
    if (claimed.source != "measured") {
        report.cycles_reason += fmt::format("; {:.2f} MHz by {}", claimed.hz / 1e6, claimed.source);
    }
}

void ask_host(const platform::ClockSource& clock, TimeReport& report) {
    report.host_time_reason = "the hypervisor lends no clock of the host (ptp_kvm, ptp_vmw)";
    for (const auto& ptp : clock.ptp) {
        if (!ptp.of_host) continue;
        const auto time = clocks::read_host_time("/dev/" + ptp.device);
        if (!time) {
            report.host_time_reason = time.error().what;
            continue;
        }
        report.guest_ahead_ns = time->guest_ahead_ns;
        report.host_time_reason =
            fmt::format("{} ({}), within {} ns", ptp.device, ptp.name, time->error_ns);
        return;
    }
}

}  // namespace

TimeReport examine_time(const platform::ClockSource& clock) {
    TimeReport report;
    compare_rates(report);
    ask_host(clock, report);
    return report;
}

}  // namespace ringside::trust
