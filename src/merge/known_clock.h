// A guest's clock from what both recorders noted: each read its clock and the CPU's counter
// together, and the host knows what KVM adds to the counter in the guest.
#pragma once

#include <cstdint>
#include <map>

#include "merge/clock_map.h"
#include "perf/data_context.h"

namespace ringside::merge {

struct KnownClock {
    ClockMap map;
    double uncertainty_ns = 0;  // how far apart clock and counter were read
};

// What the guest's clock would be in each machine the host ran, by the VMM's pid. Empty where one
// of the recordings does not say.
std::map<std::uint32_t, KnownClock> known_clocks(const perf::Context& host,
                                                 const perf::Context& guest);

}  // namespace ringside::merge
