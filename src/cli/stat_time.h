// Where the time went while `ringside stat` counted: the budget of a command or of processes, or
// the time of CPUs or of a cgroup.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <ringside/time_budget.h>

#include "accounting/machine_time.h"
#include "accounting/time_report.h"
#include "cli/stat_request.h"

namespace ringside::cli {

using accounting::TimeReport;

// Since its opening.
class TimeKeeper {
  public:
    // Of these targets together. `trace` lets BPF watch every change of state, which tells all
    // parts apart and takes some 100 ms to set up.
    static Result<TimeKeeper> open(std::span<const Target> targets, bool trace);

    Result<TimeReport> read();
    Result<TimeReport> read_interval();

  private:
    std::vector<TimeBudget> budgets_;  // of processes or threads
    accounting::MachineMeterPtr meter_;
    std::optional<TimeReport> last_;
};

}  // namespace ringside::cli
