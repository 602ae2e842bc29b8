// A comparison as a figure: the functions of one event, a bar for each side. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compare/join.h"
#include "model/figure.h"

namespace ringside::compare {

// The `top` heaviest functions of `event`; times in seconds. Error bars are the 95 % confidence of
// each mean (Student's t). Without groups if no such function was sampled.
model::BarFigure chart_functions(const std::vector<Side>& sides, const Comparison& comparison,
                                 std::string_view event, std::size_t top);

}  // namespace ringside::compare
