// The BPF tracer's sums as the facts of a budget: a thread is in one state at any time, so that
// nothing overlaps and nothing is left but what was hidden from the tracer.
#include <time.h>

#include "accounting/meter.h"
#include "accounting/thread_sums.h"

namespace ringside::accounting {

namespace {

constexpr const char* by_states = "BPF at sched_switch and sched_wakeup";

// Between two ticks of the timer: the resolution of the clock that the tick drives.
std::uint64_t timer_tick_ns() {
    timespec resolution{};
    ::clock_getres(CLOCK_MONOTONIC_COARSE, &resolution);
    return static_cast<std::uint64_t>(resolution.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(resolution.tv_nsec);
}

class TracedMeter final : public BudgetMeter {
  public:
    TracedMeter(bpf::StateGroup group, const base::SysRoot& root, std::string faults_missing)
        : group_(std::move(group)),
          missing_(find_missing(root)),
          faults_missing_(std::move(faults_missing)) {}

    analysis::TimeFacts read(const Times& /*clock*/) override {
        const bpf::StateTotals totals = group_.read();
        analysis::TimeFacts facts;
        facts.method = BudgetMethod::bpf_sched_states;
        facts.lifetime_ns = totals.lifetime_ns();
        facts.threads = totals.threads;
        facts.occupied = part(totals.running_ns);
        facts.ticks = analysis::TickSample{totals.user_ticks_ns, totals.system_ticks_ns, tick_ns_,
                                           "the timer's ticks"};
        facts.waiting = part(totals.waiting_ns);
        facts.blocked = part(totals.io_ns + totals.blocked_ns);
        facts.paging = part(totals.paging_ns);
        facts.sleeping = part(totals.sleeping_ns);
        facts.stopped = part(totals.stopped_ns);
        facts.blocked_on_io_ns = totals.io_ns;
        if (totals.unseen_ns > 0) {
            facts.rest_reason = "this kernel hides some context switches from tracing";
        }
        if (totals.threads_lost > 0) {
            facts.lifetime_reason = std::to_string(totals.threads_lost) +
                                    " threads were too many at once to be followed";
        }
        facts.details = details(totals);
        return facts;
    }

  private:
    static TimePart part(std::uint64_t ns) { return {ns, 0, by_states, {}}; }

    PagingDetails details(const bpf::StateTotals& totals) const {
        PagingDetails details;
        details.minor_faults = totals.minor_faults;
        details.major_faults = totals.major_faults;
        details.fault_cpu.reason = faults_missing_;
        if (faults_missing_.empty()) {
            details.fault_cpu = {totals.fault_cpu_ns, 0, "BPF at handle_mm_fault", {}};
        }
        details.swapin = delay(totals.swapin_ns);
        details.thrashing = delay(totals.thrashing_ns);
        details.reclaim = delay(totals.reclaim_ns);
        details.compaction = delay(totals.compact_ns);
        details.write_protect_copy = delay(totals.wpcopy_ns);
        return details;
    }

    TimePart delay(std::uint64_t ns) const {
        if (!missing_.delay_accounting.empty()) return {{}, 0, {}, missing_.delay_accounting};
        return {ns, 0, "delay accounting", {}};
    }

    bpf::StateGroup group_;
    SourcesMissing missing_;
    std::string faults_missing_;
    std::uint64_t tick_ns_ = timer_tick_ns();
};

}  // namespace

Result<BudgetMeterPtr> make_traced_meter(const base::SysRoot& root, const clocks::Subject& subject,
                                         const std::shared_ptr<bpf::StateTracer>& tracer,
                                         const std::string& faults_missing) {
    auto group = tracer->make_group(clocks::follow_of(subject));
    if (!group) return group.error();
    auto added = clocks::add_threads(root, subject, [&](pid_t tid) { return group->add(tid); });
    if (!added) return added.error();
    return BudgetMeterPtr(std::make_unique<TracedMeter>(std::move(*group), root, faults_missing));
}

}  // namespace ringside::accounting
