// The open perf events of one set: a group on each place for each PMU, summed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "components/cpu/cell.h"
#include "components/cpu/plan.h"
#include "components/cpu/witness.h"
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
    const Witness* witness = nullptr;     // the component's, which outlives its counters
};

struct OpenCells {
    std::vector<Cell> cells;
    std::string by_kernel_because;  // why registers are not read; empty if they are
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
    bool read_plain(std::int64_t* out) override;
    const perf::Registers& registers() const override;
    void judge(std::span<Reading> readings) override;
    std::string reason(std::size_t index) const override;
    std::string explain(std::size_t index) const override;
    Result<void> on_overflow(std::size_t index, std::uint64_t period,
                             OverflowHandler handler) override;

  private:
    // An event over all its places and PMUs.
    struct Sum {
        std::uint64_t count = 0;
        std::uint64_t enabled_ns = 0;
        std::uint64_t running_ns = 0;
        std::vector<std::uint64_t> part_ns;  // how long each of its parts ran
        bool refused = false;                // its pinned group is in error
    };

    CpuCounters() = default;
    void adopt(Recipe recipe, OpenCells opened);
    void clear_sums();
    void add_up(const Cell& cell, std::size_t member, const perf::Count& count);
    bool add_up_registers();
    Result<void> add_up_groups();
    bool never_enabled(std::size_t index) const;
    Result<void> read_scattered(std::span<std::int64_t> out);
    Result<void> rebase();
    bool measures_itself() const;
    void judge_zero(std::size_t index, Reading& reading);
    void judge_by_loop(std::span<Reading> readings);

    Recipe recipe_;
    std::vector<Cell> cells_;
    std::vector<Sum> sums_;             // one for each event, of the last read()
    std::vector<std::string> reasons_;  // one for each event, of the last judge()
    // One group, its members are the set's events in their order, no turns.
    bool plain_ = false;
    std::string by_kernel_because_;               // why registers are not read
    std::optional<perf::RegisterSet> registers_;  // set: they may be
    bool plain_registers_ = false;                // right now, and without the times
    bool by_registers_ = false;                   // the last read() was
    pthread_t owner_ = 0;                         // whose registers they are
    bool running_ = false;
    bool settled_ = false;  // stopped, and read since: the groups know where the counts stand
};

}  // namespace ringside::components::cpu
