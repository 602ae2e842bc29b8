// A time budget in every output format; one rendering for all verbs that show one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ringside/time_budget.h>

#include "base/json.h"

namespace ringside::report {

// Named as in JSON: "..._ns" is a time.
struct TimeValue {
    std::string name;
    std::optional<std::int64_t> value;  // none where it is not known
};
base::Json values_json(const std::vector<TimeValue>& values);

// A table of the parts with their shares, and behind it how they were found and what is not known.
std::string budget_text(const TimeSplit& split);

// "wall_ns", "lifetime_ns", "threads", "user_ns", ..., "unexplained_ns", ...
std::vector<TimeValue> budget_values(const TimeSplit& split);
// {"method", "parts": {"user": {"source", "error_ns", "reason"}, ...}, "unexplained", "paging"}.
base::Json budget_sources(const TimeSplit& split);

// What `ringside time` found.
struct TimeRun {
    const std::vector<std::string>& command;  // empty for a process that ran already
    const TimeSplit& split;
    std::optional<int> exit_code;
};
std::string time_run_text(const TimeRun& run);
// One row below its header; an unknown part is empty. New columns are added at the end only.
std::string time_run_csv(const TimeRun& run);
// Schema "ringside.time/1".
std::string time_run_json(const TimeRun& run);

}  // namespace ringside::report
