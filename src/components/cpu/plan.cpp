#include "components/cpu/plan.h"

#include <algorithm>

namespace ringside::components::cpu {

namespace {

bool alone(const Part& part, bool multiplex) {
    return multiplex && part.key != software_key;
}

PlannedGroup& group_for(std::vector<PlannedGroup>& groups, const Part& part, std::uint32_t key,
                        bool multiplex) {
    if (!alone(part, multiplex)) {
        const auto found =
            std::find_if(groups.begin(), groups.end(),
                         [&](const PlannedGroup& group) { return group.key == key; });
        if (found != groups.end()) return *found;
    }
    return groups.emplace_back(PlannedGroup{{}, key, part.cpus});
}

// The group that takes in the software events.
std::uint32_t home_of_software(std::span<const CountedEvent> events, bool apart) {
    if (apart) return software_key;
    const auto hardware = std::find_if(events.begin(), events.end(),
                                       [](const CountedEvent& event) { return !event.software(); });
    return hardware == events.end() ? software_key : hardware->parts.front().key;
}

}  // namespace

std::vector<PlannedGroup> plan_groups(std::span<const CountedEvent> events, bool multiplex,
                                      bool cpu_wide) {
    const std::uint32_t home = home_of_software(events, multiplex || cpu_wide);
    std::vector<PlannedGroup> groups;
    for (std::size_t slot = 0; slot < events.size(); ++slot) {
        for (std::size_t part = 0; part < events[slot].parts.size(); ++part) {
            const Part& each = events[slot].parts[part];
            const std::uint32_t key = each.key == software_key ? home : each.key;
            group_for(groups, each, key, multiplex).members.push_back({slot, part});
        }
    }
    return groups;
}

}  // namespace ringside::components::cpu
