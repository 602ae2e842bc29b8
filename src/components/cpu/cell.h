// One group of a set on one place.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "components/cpu/plan.h"
#include "perf/group.h"
#include "perf/overflow.h"
#include "perf/ring_buffer.h"

namespace ringside::components::cpu {

struct Cell {
    perf::Group group;
    std::vector<PlannedMember> members;
    // What stood in the kernel's counts when the set was started or reset.
    std::vector<std::uint64_t> base;
    std::uint64_t base_enabled_ns = 0;
    std::uint64_t base_running_ns = 0;
    // For each member the page that tells its register, if registers may be read.
    std::vector<perf::RingBuffer> pages = {};
    // Of its members that call a handler; destroyed before the events.
    std::vector<std::unique_ptr<perf::OverflowWatch>> watches = {};

    void rebase(const perf::GroupCount& count);

    // What member `member` counted since the base, without the kernel. nullopt if that is not
    // possible right now.
    std::optional<perf::Count> read_register(std::size_t member) const;
};

}  // namespace ringside::components::cpu
