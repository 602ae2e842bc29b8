// A time budget as the files of a run and the JSON of all verbs have it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ringside/time_budget.h>

#include "base/json.h"

namespace ringside::run {

struct NamedPart {
    const char* name;   // "waiting"
    const char* title;  // "waiting for a CPU"
    const TimePart& part;
};

std::vector<NamedPart> parts_of(const TimeSplit& split);
std::optional<std::uint64_t> executed_ns(const TimeSplit& split);
std::optional<std::uint64_t> occupied_ns(const TimeSplit& split);

// Named as in JSON: "..._ns" is a time.
struct TimeValue {
    std::string name;
    std::optional<std::int64_t> value;  // none where it is not known
};
base::Json values_json(const std::vector<TimeValue>& values);

// "wall_ns", "lifetime_ns", "threads", "user_ns", ..., "unexplained_ns", ...
std::vector<TimeValue> budget_values(const TimeSplit& split);
// {"method", "parts": {"user": {"source", "error_ns", "reason"}, ...}, "unexplained", "paging"}.
base::Json budget_sources(const TimeSplit& split);

}  // namespace ringside::run
