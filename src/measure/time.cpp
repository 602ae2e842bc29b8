#include "measure/time.h"

#include "analysis/time_sums.h"
#include "base/assert.h"

namespace ringside::measure {

namespace {

Result<TimeBudget> open_budget(const TimeBudgets& budgets, const Target& target) {
    if (target.kind == Target::Kind::thread) return budgets.thread(target.id);
    return budgets.process(target.id, Follow::children);
}

}  // namespace

Result<void> Time::attach(pid_t command) {
    const auto targets = targets_.whole(command);
    RINGSIDE_ASSERT(!targets.empty());
    const Target& first = targets.front();
    if (first.kind == Target::Kind::thread || first.kind == Target::Kind::process) {
        const TimeBudgets budgets = TimeBudgets::open(options_);
        for (const Target& target : targets) {
            auto budget = open_budget(budgets, target);
            if (!budget) return budget.error();
            budgets_.push_back(std::move(*budget));
        }
        return {};
    }
    auto meter = first.kind == Target::Kind::cgroup
                     ? accounting::make_cgroup_time_meter({}, first.cgroup)
                     : accounting::make_cpu_time_meter({}, first.cpus);
    if (!meter) return meter.error();
    meter_ = std::move(*meter);
    return {};
}

Result<TimeReport> Time::read() {
    if (meter_) {
        auto time = meter_->read();
        return time ? Result<TimeReport>(TimeReport(std::move(*time))) : time.error();
    }
    std::vector<TimeSplit> splits;
    splits.reserve(budgets_.size());
    for (const TimeBudget& budget : budgets_) splits.push_back(budget.read());
    return TimeReport(analysis::together(splits));
}

Result<void> Time::read_interval(run::Interval& interval) {
    auto now = read();
    if (!now) return now.error();
    interval_ = last_ ? accounting::between(*last_, *now) : *now;
    last_ = std::move(*now);
    if (const auto* split = std::get_if<TimeSplit>(&*interval_)) interval.time = *split;
    return {};
}

Result<void> Time::end() {
    auto report = read();
    if (!report) return report.error();
    report_ = std::move(*report);
    return {};
}

// Without BPF nobody adds up the CPU time of a tree but wait(), at its end.
Result<void> Time::collect(const std::optional<base::ExitStatus>& status, run::Run& run) {
    auto* split = std::get_if<TimeSplit>(&*report_);
    if (split == nullptr) return {};
    if (status && targets_.of_command() && !split->clock.cpu_ns) {
        split->clock.cpu_ns = status->cpu_ns;
    }
    run.time = *split;
    return {};
}

}  // namespace ringside::measure
