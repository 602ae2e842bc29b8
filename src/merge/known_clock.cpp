#include "merge/known_clock.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "merge/interval_fit.h"

namespace ringside::merge {

namespace {

struct CounterReading {
    std::uint64_t time_ns = 0;
    std::uint64_t ticks = 0;
    std::uint64_t error_ticks = 0;
    std::uint32_t cpu = 0;
};

std::vector<CounterReading> readings_of(const perf::Context& context) {
    std::vector<CounterReading> readings;
    for (const auto& item : context) {
        if (item.name != "clock_reading") continue;
        const auto words = base::split_words(item.value);
        if (words.size() != 4) continue;
        const auto time = base::parse_u64(words[0]);
        const auto ticks = base::parse_u64(words[1]);
        const auto error = base::parse_u64(words[2]);
        const auto cpu = base::parse_u64(words[3]);
        if (time && ticks && error && cpu)
            readings.push_back({*time, *ticks, *error, static_cast<std::uint32_t>(*cpu)});
    }
    return readings;
}

// The first and the last, between which clock and counter went evenly. Over less than this the
// errors of the readings would make a drift of their own.
struct Ends {
    CounterReading first;
    CounterReading last;

    double ticks_per_ns() const {
        return static_cast<double>(last.ticks - first.ticks) /
               static_cast<double>(last.time_ns - first.time_ns);
    }
    double uncertainty_ns() const {
        return static_cast<double>(std::max(first.error_ticks, last.error_ticks)) / ticks_per_ns();
    }
};
constexpr std::uint64_t shortest_ns = 20'000'000;

std::optional<Ends> ends_of(const perf::Context& context) {
    const auto readings = readings_of(context);
    if (readings.size() < 2) return std::nullopt;
    const Ends ends{readings.front(), readings.back()};
    const bool even =
        ends.last.time_ns >= ends.first.time_ns + shortest_ns && ends.last.ticks > ends.first.ticks;
    return even ? std::optional(ends) : std::nullopt;
}

// What KVM makes of the host's counter: ticks * ratio + offset.
struct Shift {
    std::int64_t offset = 0;
    double ratio = 1;

    bool operator==(const Shift&) const = default;
};

// By VMM and vCPU: hosts without a steady counter shift each vCPU's by its own.
std::map<std::uint32_t, std::map<std::uint32_t, Shift>> shifts_of(const perf::Context& context) {
    std::map<std::uint32_t, std::map<std::uint32_t, Shift>> shifts;
    for (const auto& item : context) {
        const auto words = base::split_words(item.value);
        if (item.name != "kvm_tsc" || words.size() != 5) continue;
        const auto pid = base::parse_u64(words[0]);
        const auto vcpu = base::parse_u64(words[1]);
        const auto offset = base::parse_i64(words[2]);
        const auto ratio = base::parse_u64(words[3]);
        const auto bits = base::parse_u64(words[4]);
        if (!pid || !vcpu || !offset || !ratio || *ratio == 0 || !bits || *bits > 63) continue;
        shifts[static_cast<std::uint32_t>(*pid)][static_cast<std::uint32_t>(*vcpu)] = {
            *offset, std::ldexp(static_cast<double>(*ratio), -static_cast<int>(*bits))};
    }
    return shifts;
}

// How many ns after the host's first reading the guest took its own.
double since_first(const Ends& host, const CounterReading& guest, const Shift& shift) {
    const std::uint64_t unshifted = guest.ticks - static_cast<std::uint64_t>(shift.offset);
    if (shift.ratio == 1)
        return static_cast<double>(static_cast<std::int64_t>(unshifted - host.first.ticks)) /
               host.ticks_per_ns();
    const long double unscaled =
        static_cast<long double>(unshifted) / static_cast<long double>(shift.ratio);
    return static_cast<double>(unscaled - static_cast<long double>(host.first.ticks)) /
           host.ticks_per_ns();
}

}  // namespace

std::map<std::uint32_t, KnownClock> known_clocks(const perf::Context& host,
                                                 const perf::Context& guest) {
    std::map<std::uint32_t, KnownClock> clocks;
    // KVM moves the guests' counters along where the host does not trust its own.
    const auto source = perf::find_item(host, "clock_source");
    if (source != "tsc" && source != "kvm-clock") return clocks;
    const auto here = ends_of(host);
    const auto there = ends_of(guest);
    if (!here || !there) return clocks;
    for (const auto& [pid, shifts] : shifts_of(host)) {
        const auto first_shift = shifts.find(there->first.cpu);
        const auto last_shift = shifts.find(there->last.cpu);
        if (first_shift == shifts.end() || last_shift == shifts.end()) continue;
        const double first_ns = since_first(*here, there->first, first_shift->second);
        const double last_ns = since_first(*here, there->last, last_shift->second);
        KnownClock clock;
        clock.map = ClockMap{there->first.time_ns, here->first.time_ns, 1}.moved(first_ns);
        clock.map.rate =
            (last_ns - first_ns) / static_cast<double>(there->last.time_ns - there->first.time_ns);
        clock.uncertainty_ns = here->uncertainty_ns() + there->uncertainty_ns();
        // Counters that would make such a clock are not steady.
        if (std::abs(clock.map.drift_ppm()) <= most_drift_ppm) clocks.emplace(pid, clock);
    }
    return clocks;
}

}  // namespace ringside::merge
