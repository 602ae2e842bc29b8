// Where the time of a measurement went: the budget of a command, of processes or threads; the time
// of CPUs or of a cgroup.
#pragma once

#include <optional>
#include <vector>

#include <ringside/time_budget.h>

#include "accounting/time_report.h"
#include "measure/engine.h"
#include "measure/targets.h"

namespace ringside::measure {

using accounting::TimeReport;

// The time of all targets together.
class Time final : public Collector {
  public:
    // `targets` must live as long as this.
    Time(const Targets& targets, const BudgetOptions& options)
        : targets_(targets), options_(options) {}

    Result<void> attach(pid_t command) override;
    Result<void> read_interval(run::Interval& interval) override;
    Result<void> end() override;
    Result<void> collect(const std::optional<base::ExitStatus>& status, run::Run& run) override;

    // Of the whole, or of the last interval that was read.
    const TimeReport& report() const { return *report_; }
    const TimeReport& interval() const { return *interval_; }

  private:
    Result<TimeReport> read();

    const Targets& targets_;
    BudgetOptions options_;
    std::vector<TimeBudget> budgets_;  // of processes or threads
    accounting::MachineMeterPtr meter_;
    std::optional<TimeReport> last_;
    std::optional<TimeReport> interval_;
    std::optional<TimeReport> report_;
};

}  // namespace ringside::measure
