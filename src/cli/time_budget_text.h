// A time budget for people and for machines; one rendering for every verb that shows one.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <ringside/time_budget.h>

namespace ringside::cli {

// A table of the parts with their shares, and behind it how they were found and what is not known.
std::string budget_text(const TimeSplit& split);

// {"wall_ns", "lifetime_ns", "threads", "user_ns", ..., "unexplained_ns", ...}; null where a part
// is not known.
nlohmann::ordered_json budget_times(const TimeSplit& split);
// {"method", "parts": {"user": {"source", "error_ns", "reason"}, ...}, "unexplained", "paging"}.
nlohmann::ordered_json budget_sources(const TimeSplit& split);

// The names of the columns and their values, comma-separated, without line ends; an unknown part is
// empty. New columns are added at the end only.
std::string budget_csv_header();
std::string budget_csv_row(const TimeSplit& split);

}  // namespace ringside::cli
