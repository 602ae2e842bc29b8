// Where in the host's recording a stretch of the guest's can lie at all: every place is tried.
#pragma once

#include <span>
#include <vector>

#include "merge/clock_map.h"

namespace ringside::merge {

// Clocks without drift that put about as many samples of the guest's `window` into runs as any
// other does. Where a whole range of clocks does, one stands for it.
std::vector<ClockMap> coarse_maps(std::span<const CpuPair> pairs, const Window& host,
                                  const Window& window);

}  // namespace ringside::merge
