#include "cli/stat_time.h"

#include "analysis/time_sums.h"
#include "base/assert.h"

namespace ringside::cli {

namespace {

Result<TimeBudget> open_budget(const TimeBudgets& budgets, const Target& target) {
    if (target.kind == Target::Kind::thread) return budgets.thread(target.id);
    return budgets.process(target.id, Follow::children);
}

}  // namespace

Result<TimeKeeper> TimeKeeper::open(std::span<const Target> targets, bool trace) {
    RINGSIDE_ASSERT(!targets.empty());
    TimeKeeper keeper;
    const Target& first = targets.front();
    if (first.kind == Target::Kind::thread || first.kind == Target::Kind::process) {
        BudgetOptions options;
        options.quick = !trace;
        const TimeBudgets budgets = TimeBudgets::open(options);
        for (const Target& target : targets) {
            auto budget = open_budget(budgets, target);
            if (!budget) return budget.error();
            keeper.budgets_.push_back(std::move(*budget));
        }
        return keeper;
    }
    auto meter = first.kind == Target::Kind::cgroup
                     ? accounting::make_cgroup_time_meter({}, first.cgroup)
                     : accounting::make_cpu_time_meter({}, first.cpus);
    if (!meter) return meter.error();
    keeper.meter_ = std::move(*meter);
    return keeper;
}

Result<TimeReport> TimeKeeper::read() {
    if (meter_) {
        auto time = meter_->read();
        return time ? Result<TimeReport>(TimeReport(std::move(*time))) : time.error();
    }
    std::vector<TimeSplit> splits;
    splits.reserve(budgets_.size());
    for (const TimeBudget& budget : budgets_) splits.push_back(budget.read());
    return TimeReport(analysis::together(splits));
}

Result<TimeReport> TimeKeeper::read_interval() {
    auto now = read();
    if (!now) return now;
    auto interval = now;
    if (last_) *interval = accounting::between(*last_, *now);
    last_ = std::move(*now);
    return interval;
}

}  // namespace ringside::cli
