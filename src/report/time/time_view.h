// Where the time went while `ringside stat` counted, as human-readable text and as values.
#pragma once

#include <string>
#include <vector>

#include "accounting/time_report.h"
#include "base/json.h"
#include "report/time/budget_report.h"

namespace ringside::report {

std::string time_text(const accounting::TimeReport& time);
// The parts in one line, for an interval.
std::string time_line(const accounting::TimeReport& time);
// "wall_ns", "user_ns", "kernel_ns", "stolen_ns", "waiting_ns", "blocked_ns", ...
std::vector<TimeValue> time_values(const accounting::TimeReport& time);
// Where the parts come from, and why others are not known.
base::Json time_sources(const accounting::TimeReport& time);

}  // namespace ringside::report
