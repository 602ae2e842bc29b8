// The open perf events of one set: a group on each place for each PMU, summed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "components/cpu/places.h"
#include "components/cpu/plan.h"
#include "perf/group.h"
#include "perf/overflow.h"
#include "session/component.h"

namespace ringside::components::cpu {

struct OverflowWish {
    std::uint64_t period = 0;  // 0: none
    OverflowHandler handler;
};

// What is needed to open the events, and to open them again.
struct Recipe {
    base::SysRoot root;
    std::vector<CountedEvent> events;
    SetOptions options;
    std::vector<OverflowWish> overflows;  // one for each event
};

// One group on one place.
struct Cell {
    perf::Group group;
    std::vector<PlannedMember> members;
    // What stood in the kernel's counts when the set was started or reset.
    std::vector<std::uint64_t> base;
    std::uint64_t base_enabled_ns = 0;
    std::uint64_t base_running_ns = 0;
    // Of its members that call a handler; destroyed before the events.
    std::vector<std::unique_ptr<perf::OverflowWatch>> watches = {};
};

class CpuCounters final : public session::Counters {
  public:
    // All or nothing; a set that does not fit onto the counters is refused here.
    static Result<session::CountersPtr> open(Recipe recipe);

    Result<void> start() override;
    Result<void> stop() override;
    Result<void> reset() override;
    Result<void> read(std::span<Reading> out) override;
    Result<void> read_values(std::span<std::int64_t> out) override;
    Result<void> on_overflow(std::size_t index, std::uint64_t period,
                             OverflowHandler handler) override;

  private:
    struct Sum {
        std::uint64_t count = 0;
        std::uint64_t enabled_ns = 0;
        std::uint64_t running_ns = 0;
        bool refused = false;  // its pinned group is in error
    };

    CpuCounters() = default;
    void adopt(Recipe recipe, std::vector<Cell> cells);
    Result<void> read_cells();
    Result<void> rebase();
    void add_up(const Cell& cell, const perf::GroupCount& count);

    Recipe recipe_;
    std::vector<Cell> cells_;
    std::vector<Sum> sums_;   // one for each event
    bool one_group_ = false;  // its members are the set's events, in their order
    bool running_ = false;
    bool settled_ = false;  // stopped, and `base` is where the counts stand
};

}  // namespace ringside::components::cpu
