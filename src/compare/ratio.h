// What the repeats of two sides say about the ratio between them. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ringside::compare {

// How it is tested, for people and for programs.
constexpr std::string_view test_name =
    "Welch's t on logarithms, 95 % intervals; Benjamini-Hochberg at 5 % over the rows of a table";

struct Ratio {
    std::optional<double> ratio;  // of the second to the first; none if the first is 0
    // The true ratio lies between these in 95 of 100 cases; none with fewer than two runs a side.
    std::optional<double> ci_low;
    std::optional<double> ci_high;
    std::optional<double> p;           // how likely chance alone makes such a difference
    std::optional<double> p_adjusted;  // the same, seen among all rows that were tested
    std::optional<bool> significant;   // none where there are too few runs to tell
};

// `grain`: the step in which such values come, 1 for counts. Repeats that agree exactly say no more
// than that the truth lies within a step.
Ratio ratio_of(std::span<const double> first, std::span<const double> second, double grain);

// Sets p_adjusted and significant of all that have a p. `rate`: the share of false ones among those
// called significant (Benjamini and Hochberg 1995).
void adjust_for_many(std::span<Ratio*> ratios, double rate = 0.05);

}  // namespace ringside::compare
