#include "session/scaling.h"

#include <algorithm>
#include <cmath>

namespace ringside::session {

std::int64_t scaled_value(std::uint64_t count, std::uint64_t enabled_ns, std::uint64_t running_ns) {
    if (running_ns >= enabled_ns || running_ns == 0) return static_cast<std::int64_t>(count);
    return std::llround(static_cast<double>(count) * static_cast<double>(enabled_ns) /
                        static_cast<double>(running_ns));
}

Reading scaled_reading(std::uint64_t count, std::uint64_t enabled_ns, std::uint64_t running_ns) {
    Reading reading;
    reading.value = scaled_value(count, enabled_ns, running_ns);
    reading.enabled_ns = enabled_ns;
    reading.running_ns = running_ns;
    if (enabled_ns > 0 && running_ns == 0) reading.state = CounterState::not_scheduled;
    if (running_ns == 0 || running_ns >= enabled_ns) return reading;
    const double turns = std::max(1.0, static_cast<double>(running_ns) / turn_ns);
    reading.scale_error = std::llround(static_cast<double>(reading.value) *
                                       std::sqrt((1 - reading.running_ratio()) / turns));
    return reading;
}

Reading between(const Reading& earlier, const Reading& later) {
    // As it was before it was scaled.
    const auto count_of = [](const Reading& reading) {
        return std::llround(static_cast<double>(reading.value) * reading.running_ratio());
    };
    const bool scaled = later.running_ns < later.enabled_ns;
    const std::int64_t grown =
        scaled ? count_of(later) - count_of(earlier) : later.value - earlier.value;
    Reading reading = scaled_reading(static_cast<std::uint64_t>(std::max<std::int64_t>(0, grown)),
                                     later.enabled_ns - earlier.enabled_ns,
                                     later.running_ns - earlier.running_ns);
    if (later.state != CounterState::ok) reading.state = later.state;
    return reading;
}

}  // namespace ringside::session
