#include "components/cpu/cell.h"

#include <algorithm>

#include "perf/user_read.h"

namespace ringside::components::cpu {

void Cell::rebase(const perf::GroupCount& count) {
    if (!count.on_counters) return;
    std::copy_n(count.values, base.size(), base.begin());
    base_enabled_ns = count.enabled_ns;
    base_running_ns = count.running_ns;
}

std::optional<perf::Count> Cell::read_register(std::size_t member) const {
    auto count = perf::read_user_timed(pages[member].control());
    if (!count) return std::nullopt;
    return perf::Count{count->value - base[member], count->enabled_ns - base_enabled_ns,
                       count->running_ns - base_running_ns};
}

}  // namespace ringside::components::cpu
