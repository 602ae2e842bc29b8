// The last step of finding a guest's clock: a line that is nearly right made as right as the
// samples allow, and how far it can still be turned or moved.
#pragma once

#include <span>

#include "merge/clock_map.h"

namespace ringside::merge {

struct Sharpened {
    ClockMap map;
    double uncertainty_ns = 0;  // at the worst place of the samples' time
};

// `map` is wrong by some 50 us at most. Linear in the number of samples.
Sharpened sharpen(const ClockMap& map, std::span<const CpuPair> pairs, const Window& host);

}  // namespace ringside::merge
