// What a count means when it was taken for a part of the time only.
#pragma once

#include <cstdint>

#include <ringside/event_set.h>

namespace ringside::session {

// How long the kernel leaves a multiplexed event on its counter, if it is not told otherwise
// (/sys/bus/event_source/devices/*/perf_event_mux_interval_ms).
inline constexpr std::uint64_t turn_ns = 4'000'000;

// A reading of `count` events in `running_ns` of `enabled_ns`. Without a turn at all the state is
// not_scheduled.
//
// value = count * enabled / running. The turns are a sample of all the time there was, drawn
// without putting back: n = running / turn of N = enabled / turn. If events come in each turn with
// a standard deviation of sigma, the sum over all N is off by N * sigma * sqrt((1 - n/N) / n).
// Nobody tells us sigma; it is taken to be as large as the mean, which programs with phases reach
// and steady ones stay far below. So
//   scale_error = value * sqrt((1 - running/enabled) / n), n at least 1.
Reading scaled_reading(std::uint64_t count, std::uint64_t enabled_ns, std::uint64_t running_ns);

// What was counted between two readings of one event. The later one's verdict stays.
Reading between(const Reading& earlier, const Reading& later);

// The value alone.
std::int64_t scaled_value(std::uint64_t count, std::uint64_t enabled_ns, std::uint64_t running_ns);

}  // namespace ringside::session
