// What the host took from the recorded CPUs while samples were taken: a slow stretch may be a
// stolen one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "perf/steal_readings.h"

namespace ringside::profile {

struct Stolen {
    std::uint64_t cpus = 0;
    std::uint64_t stolen_ns = 0;  // from all of them together
    std::uint64_t time_ns = 0;    // that lies between their readings, together

    double percent() const {
        return time_ns == 0 ? 0
                            : 100.0 * static_cast<double>(stolen_ns) / static_cast<double>(time_ns);
    }
};

// `readings` are in the order of time. nullopt if no CPU has two of them.
std::optional<Stolen> stolen_between(std::span<const perf::StealReading> readings);

}  // namespace ringside::profile
