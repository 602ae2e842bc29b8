#include "merge/clock_map.h"

namespace ringside::merge {

Agreement& Agreement::operator+=(const Agreement& other) {
    inside += other.inside;
    outside += other.outside;
    beyond += other.beyond;
    return *this;
}

// Both lists are in the order of time: one pass.
Agreement agreement(const ClockMap& map, const CpuPair& pair, const Window& host) {
    Agreement result;
    auto run = pair.runs.begin();
    for (const auto time_ns : pair.times_ns) {
        const std::uint64_t at = map.to_host(time_ns);
        if (at < host.from_ns || at > host.to_ns) {
            ++result.beyond;
            continue;
        }
        while (run != pair.runs.end() && run->end_ns < at) ++run;
        const bool inside = run != pair.runs.end() && run->begin_ns <= at;
        ++(inside ? result.inside : result.outside);
    }
    return result;
}

Agreement agreement(const ClockMap& map, std::span<const CpuPair> pairs, const Window& host) {
    Agreement sum;
    for (const auto& pair : pairs) sum += agreement(map, pair, host);
    return sum;
}

}  // namespace ringside::merge
