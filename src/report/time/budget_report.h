// A time budget in every output format; one rendering for all verbs that show one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ringside/time_budget.h>

#include "run/time_json.h"

namespace ringside::report {

using run::budget_sources;
using run::budget_values;
using run::TimeValue;
using run::values_json;

// A table of the parts with their shares, and behind it how they were found and what is not known.
std::string budget_text(const TimeSplit& split);

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
