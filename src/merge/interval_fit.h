// A guest's clock found from nothing but this: its samples can only fall where the host saw the
// vCPU run guest code. Offset and drift that put them there, all that come into question.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merge/clock_map.h"
#include "merge/sweep.h"

namespace ringside::merge {

struct Fit {
    ClockMap map;
    double uncertainty_ns = 0;
    Agreement agreement;
};

// Clocks of two machines that are kept by crystals or by NTP differ by less.
constexpr double most_drift_ppm = 300;

// The best first; several where the samples leave several offsets possible. Costs n log n for n
// samples and runs.
std::vector<Fit> fit_to_runs(std::span<const CpuPair> pairs, const Window& host);

// Whether `other` explains the samples as well as `best` does, up to a few strays.
bool as_good_as(const Agreement& best, const Agreement& other);

}  // namespace ringside::merge
