// Opens the groups of a set on all its places.
#pragma once

#include <vector>

#include "components/cpu/counters.h"

namespace ringside::components::cpu {

// All or nothing. Fails too when a set that must not be multiplexed does not fit.
Result<OpenCells> open_cells(const Recipe& recipe);

}  // namespace ringside::components::cpu
