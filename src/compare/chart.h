// A comparison as figures: functions as bars or circles, the parts of the time, what came in over
// time. They have series and axis; title and caption are for the caller. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compare/join.h"
#include "model/figure.h"

namespace ringside::compare {

// The `top` heaviest functions of `event`, a bar for each side; times in seconds. Error bars are
// the 95 % confidence of each mean (Student's t). Without groups if no such function was sampled.
model::Figure chart_functions(const std::vector<run::Side>& sides, const Comparison& comparison,
                              std::string_view event, std::size_t top);

// The same as shares of the event, a circle for each side, with all other functions as a rest. At
// most 8 functions have a part of their own: more cannot be told apart.
model::Figure chart_shares(const std::vector<run::Side>& sides, const Comparison& comparison,
                           std::string_view event, std::size_t top);

// Where the time of all threads went: a bar for each side, of parts. Without parts if no side
// knows.
model::Figure chart_time_budget(const std::vector<run::Side>& sides, const Comparison& comparison);

// Of each side the run of median length: where its time went, and what was counted and is not 0
// throughout, over time. Only events of `comparison` are drawn. Without strips if no run has
// intervals.
model::Figure chart_timeline(const std::vector<run::Side>& sides, const Comparison& comparison);

// How a chart calls a side: its name, and what emulates or runs it.
std::string series_name(const run::Side& side);

}  // namespace ringside::compare
