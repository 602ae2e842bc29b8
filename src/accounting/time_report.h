// Where the time went: the budget of a command or of processes, or the time of CPUs or of a cgroup.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include <ringside/time_budget.h>

#include "accounting/machine_time.h"

namespace ringside::accounting {

using TimeReport = std::variant<TimeSplit, MachineTime>;

std::uint64_t wall_ns(const TimeReport& time);
// From one reading to a later one of the same kind.
TimeReport between(const TimeReport& earlier, const TimeReport& later);
// Of one run, on average. All are of the same kind.
TimeReport average(std::span<const TimeReport> runs);

}  // namespace ringside::accounting
