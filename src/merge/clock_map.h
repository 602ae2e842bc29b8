// From a guest's clock to its host's, and how well the samples agree with it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merge/host_view.h"

namespace ringside::merge {

// From `b` to `a`, either of which may be the later.
inline double difference(std::uint64_t a, std::uint64_t b) {
    return static_cast<double>(static_cast<std::int64_t>(a - b));
}

// A straight line through (guest_ns, host_ns).
struct ClockMap {
    std::uint64_t guest_ns = 0;
    std::uint64_t host_ns = 0;
    double rate = 1;  // nanoseconds of the host in one of the guest

    std::uint64_t to_host(std::uint64_t time_ns) const {
        const auto since = static_cast<double>(static_cast<std::int64_t>(time_ns - guest_ns));
        return host_ns + static_cast<std::uint64_t>(static_cast<std::int64_t>(since * rate));
    }
    ClockMap moved(double by_ns) const {
        return {guest_ns, host_ns + static_cast<std::uint64_t>(static_cast<std::int64_t>(by_ns)),
                rate};
    }
    double drift_ppm() const { return (rate - 1) * 1e6; }
};

// A CPU of the guest and the thread that is taken to run it.
struct CpuPair {
    std::span<const std::uint64_t> times_ns;  // of the guest's samples, in order
    std::span<const Span> runs;
};

struct Window {
    std::uint64_t from_ns = 0;
    std::uint64_t to_ns = 0;
};

struct Agreement {
    std::uint64_t inside = 0;   // samples that fall where the thread ran guest code
    std::uint64_t outside = 0;  // samples that contradict the map
    std::uint64_t beyond = 0;   // before or after the host's recording: they say nothing

    Agreement& operator+=(const Agreement& other);
};

Agreement agreement(const ClockMap& map, const CpuPair& pair, const Window& host);
Agreement agreement(const ClockMap& map, std::span<const CpuPair> pairs, const Window& host);

}  // namespace ringside::merge
