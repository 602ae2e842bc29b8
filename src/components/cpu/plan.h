// Which events go into which group. Pure: no event is opened here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/event.h"

namespace ringside::components::cpu {

// An event on one PMU. Machines with several kinds of core have a PMU for each kind.
struct Part {
    model::Event event;
    std::string pmu;        // its name where there are several; else empty
    std::uint32_t key = 0;  // the same for events that can share a group
    std::vector<int> cpus;  // where this PMU is; empty: everywhere
};

// Software events have this key; the kernel lets them into any group.
inline constexpr std::uint32_t software_key = UINT32_MAX;

// An event of a set: counted once, or on each kind of core, and then summed.
struct CountedEvent {
    std::vector<Part> parts;
    bool software() const { return parts.front().key == software_key; }
};

struct PlannedMember {
    std::size_t slot = 0;  // of the event in its set
    std::size_t part = 0;
};

struct PlannedGroup {
    std::vector<PlannedMember> members;
    std::uint32_t key = software_key;  // of its hardware events, if any
    std::vector<int> cpus;
};

// Without `multiplex` one group for each PMU, and software events with the first; with it, every
// hardware event for itself, so that the kernel can take turns. `cpu_wide` groups keep to the CPUs
// of their PMU, so that software events stay apart.
std::vector<PlannedGroup> plan_groups(std::span<const CountedEvent> events, bool multiplex,
                                      bool cpu_wide);

}  // namespace ringside::components::cpu
