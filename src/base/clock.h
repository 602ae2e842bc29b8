// The kernel's clocks, in nanoseconds. Needs nothing but the C library: the soft PMU's plugin has
// it, too.
#pragma once

#include <cstdint>
#include <optional>

#include <time.h>

namespace ringside::base {

inline std::uint64_t ns_of(const timespec& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(time.tv_nsec);
}

// A clock that everybody has.
inline std::uint64_t now_ns(clockid_t clock = CLOCK_MONOTONIC) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return ns_of(now);
}

// One that may not be there or not ours to read, as those of other processes and of devices; then
// nullopt, and errno says why.
inline std::optional<std::uint64_t> read_clock_ns(clockid_t clock) {
    timespec now{};
    if (::clock_gettime(clock, &now) != 0) return std::nullopt;
    return ns_of(now);
}

}  // namespace ringside::base
