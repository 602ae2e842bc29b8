#include "trust/steal.h"

#include <ringside/clocks.h>

namespace ringside::trust {

namespace {

void ask_clocks(StealReport& report) {
    const Clocks clocks = Clocks::open();
    const auto clock = clocks.thread();
    if (!clock) {
        report.per_thread_reason = clock.error().what;
        return;
    }
    const Steal steal = clock->read().steal;
    report.per_thread_reason = steal.reason;
    if (steal.method != StealMethod::none) report.per_thread = to_string(steal.method);
    // On arm64 nothing readable tells before time was stolen; that the counter is there does.
    if (!report.supported && steal.method == StealMethod::bpf_sched_switch &&
        steal.reason.empty()) {
        report.supported = true;
        report.supported_reason = "the hypervisor's own counter of stolen time is there (BPF)";
    }
    const StealAccounting accounting = clocks.steal_accounting();
    report.cpu_time = to_string(accounting.answer);
    report.cpu_time_reason = accounting.evidence;
}

}  // namespace

StealReport examine_steal(const platform::Machine& machine) {
    StealReport report;
    const auto& reported = machine.clock.steal_reported;
    report.supported = reported.value;
    report.supported_reason = reported.evidence.source + ": " + reported.evidence.text;
    ask_clocks(report);
    return report;
}

}  // namespace ringside::trust
