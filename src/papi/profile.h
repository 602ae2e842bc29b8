// Histograms of program counters, as profil(3) and PAPI_sprofil() define them. Async-signal-safe.
#pragma once

#include <cstdint>
#include <span>

#include "papi/abi.h"

namespace ringside::papi {

// Adds one sample at `pc` to the histogram it belongs to, by PAPI_PROFIL_* `flags`. `excess` is how
// far the counter was past `threshold` when the sample was taken.
void tally(std::span<PAPI_sprofil_t> histograms, std::uintptr_t pc, int flags, std::int64_t excess,
           std::int64_t threshold);

}  // namespace ringside::papi
