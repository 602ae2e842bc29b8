// Where a difference comes from, in plain words, with the share of each cause and how sure it is.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/join.h"

namespace ringside::compare {

struct Finding {
    std::string side;   // compared with the first
    std::string cause;  // "time", "compute", "kernel", "stolen", "waiting", "blocked", ...
    std::string text;   // a sentence
    // Of the difference between the sides, of 1; below 0 where it works against it. Causes of time
    // only, and only where the difference itself is significant.
    std::optional<double> share;
    std::optional<bool> sure;  // none where there are too few runs to tell
};

// `comparison` must be per run or per second; of shares only what they tell is said.
std::vector<Finding> judge(const std::vector<run::Side>& sides, const Comparison& comparison);

}  // namespace ringside::compare
