// Where the time went while `ringside stat` counted: the budget of a command or of processes, or
// the time of CPUs or of a cgroup.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <ringside/time_budget.h>

#include "accounting/machine_time.h"
#include "cli/stat_request.h"

namespace ringside::cli {

using TimeReport = std::variant<TimeSplit, accounting::MachineTime>;

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

std::uint64_t wall_ns(const TimeReport& time);
// Of one run, on average. All are of the same kind.
TimeReport average(std::span<const TimeReport> runs);

std::string time_text(const TimeReport& time);
// The parts in one line, for an interval.
std::string time_line(const TimeReport& time);
// {"wall_ns", "user_ns", "kernel_ns", "stolen_ns", "waiting_ns", "blocked_ns", ...}.
nlohmann::ordered_json time_json(const TimeReport& time);
// Where the parts come from, and why others are not known.
nlohmann::ordered_json time_sources(const TimeReport& time);

}  // namespace ringside::cli
