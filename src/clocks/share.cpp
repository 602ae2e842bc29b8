#include "clocks/share.h"

#include <algorithm>

namespace ringside::clocks {

Charge charge(const CpuSpan& span) {
    const std::uint64_t occupied = span.occupied_ns;
    const std::uint64_t busy = std::max(span.busy_ns, occupied);
    const std::uint64_t steal = std::min(span.steal_ns, busy);
    if (occupied == 0) return {};
    const std::uint64_t others = busy - occupied;
    const std::uint64_t least = steal > others ? steal - others : 0;
    const std::uint64_t most = std::min(steal, occupied);
    const double share = static_cast<double>(occupied) / static_cast<double>(busy);
    const auto value = static_cast<std::uint64_t>(static_cast<double>(steal) * share);
    const std::uint64_t clamped = std::clamp(value, least, most);
    return {clamped, std::max(clamped - least, most - clamped)};
}

StealAccounting::Answer judge(std::uint64_t difference_ns, const Charge& by_share) {
    if (by_share.steal_ns <= by_share.error_ns) return StealAccounting::Answer::undetermined;
    return difference_ns >= by_share.steal_ns / 2 ? StealAccounting::Answer::excludes
                                                  : StealAccounting::Answer::includes;
}

}  // namespace ringside::clocks
