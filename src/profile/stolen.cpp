#include "profile/stolen.h"

#include <map>

namespace ringside::profile {

std::optional<Stolen> stolen_between(std::span<const perf::StealReading> readings) {
    struct Ends {
        const perf::StealReading* first = nullptr;
        const perf::StealReading* last = nullptr;
    };
    std::map<std::uint32_t, Ends> by_cpu;
    for (const auto& reading : readings) {
        auto& ends = by_cpu[reading.cpu];
        if (ends.first == nullptr) ends.first = &reading;
        ends.last = &reading;
    }
    Stolen sum;
    for (const auto& [cpu, ends] : by_cpu) {
        if (ends.last->time_ns <= ends.first->time_ns) continue;
        ++sum.cpus;
        sum.time_ns += ends.last->time_ns - ends.first->time_ns;
        if (ends.last->stolen_ns > ends.first->stolen_ns)
            sum.stolen_ns += ends.last->stolen_ns - ends.first->stolen_ns;
    }
    if (sum.cpus == 0) return std::nullopt;
    return sum;
}

}  // namespace ringside::profile
