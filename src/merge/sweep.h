// How far must a map from guest to host time be moved so that most samples fall into runs?
#pragma once

#include <span>

#include "merge/clock_map.h"

namespace ringside::merge {

struct BestMove {
    // All moves between these cover equally many samples, and none covers more.
    double low_ns = 0;
    double high_ns = 0;
    std::uint64_t covered = 0;
    std::uint64_t samples = 0;  // that were looked at
    // Moves beyond these are worse by more than a few stray samples could explain.
    double least_ns = 0;
    double most_ns = 0;

    double middle_ns() const { return (low_ns + high_ns) / 2; }
    double uncertainty_ns() const;
};

// Looks at samples of the guest's `window`, and at moves up to `radius_ns` either way. Of several
// equally good ones, the nearest to no move at all.
BestMove best_move(const ClockMap& map, std::span<const CpuPair> pairs, const Window& window,
                   double radius_ns);

// A clock that can be moved this far is not known at all.
constexpr double widest_search_ns = 10'000'000;

// Looks further, up to that, where nearly all samples are covered however far it has looked.
BestMove wide_best_move(const ClockMap& map, std::span<const CpuPair> pairs, const Window& window,
                        double radius_ns);

}  // namespace ringside::merge
