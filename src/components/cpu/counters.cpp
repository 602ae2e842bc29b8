#include "components/cpu/counters.h"

#include <algorithm>
#include <cerrno>

#include "base/error.h"
#include "components/cpu/open_cells.h"
#include "session/scaling.h"

namespace ringside::components::cpu {

namespace {

bool in_order(const std::vector<PlannedMember>& members) {
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (members[i].slot != i) return false;
    }
    return true;
}

void take_base(Cell& cell, const perf::GroupCount& count) {
    std::copy(count.values.begin(), count.values.end(), cell.base.begin());
    if (count.values.empty()) return;
    cell.base_enabled_ns = count.enabled_ns;
    cell.base_running_ns = count.running_ns;
}

Error no_counter_free() {
    return base::fail(ErrorCode::busy, "the events are not on counters: somebody else holds them",
                      "use fewer events, or multiplex");
}

}  // namespace

Result<session::CountersPtr> CpuCounters::open(Recipe recipe) {
    recipe.overflows.resize(recipe.events.size());
    auto cells = open_cells(recipe);
    if (!cells) return cells.error();
    auto counters = std::unique_ptr<CpuCounters>(new CpuCounters);
    counters->adopt(std::move(recipe), std::move(*cells));
    return session::CountersPtr(std::move(counters));
}

void CpuCounters::adopt(Recipe recipe, std::vector<Cell> cells) {
    recipe_ = std::move(recipe);
    cells_ = std::move(cells);
    sums_.assign(recipe_.events.size(), {});
    one_group_ = cells_.size() == 1 && in_order(cells_.front().members);
    // Hardware events were tried out when they were opened.
    settled_ = std::all_of(recipe_.events.begin(), recipe_.events.end(),
                           [](const CountedEvent& event) { return event.software(); });
}

Result<void> CpuCounters::on_overflow(std::size_t index, std::uint64_t period,
                                      OverflowHandler handler) {
    Recipe changed = recipe_;
    changed.overflows[index] = {period, std::move(handler)};
    auto cells = open_cells(changed);
    if (!cells) return cells.error();
    adopt(std::move(changed), std::move(*cells));
    return {};
}

// Counts are never reset in the kernel: its reset forgets children that ended but not what they
// counted, and taking the present counts off costs no system call.
Result<void> CpuCounters::start() {
    if (!settled_) {
        if (auto done = rebase(); !done) return done;
    }
    settled_ = false;
    running_ = true;
    if (recipe_.options.start_on_exec) return {};
    for (const auto& cell : cells_) {
        if (auto done = cell.group.enable(); !done) {
            static_cast<void>(stop());
            return done;
        }
    }
    return {};
}

Result<void> CpuCounters::stop() {
    running_ = false;
    Result<void> outcome;
    for (const auto& cell : cells_) {
        if (auto done = cell.group.disable(); !done) outcome = done;
    }
    return outcome;
}

Result<void> CpuCounters::reset() {
    auto done = rebase();
    settled_ = done && !running_;
    return done;
}

Result<void> CpuCounters::rebase() {
    for (auto& cell : cells_) {
        const auto count = cell.group.read();
        if (!count) return count.error();
        take_base(cell, *count);
    }
    return {};
}

void CpuCounters::add_up(const Cell& cell, const perf::GroupCount& count) {
    for (std::size_t i = 0; i < cell.members.size(); ++i) {
        Sum& sum = sums_[cell.members[i].slot];
        if (count.values.empty()) {
            sum.refused = true;
            continue;
        }
        sum.count += count.values[i] - cell.base[i];
        sum.running_ns += count.running_ns - cell.base_running_ns;
        // A thread is on one kind of core at a time: the parts take turns in the same time.
        if (cell.members[i].part == 0) sum.enabled_ns += count.enabled_ns - cell.base_enabled_ns;
    }
}

Result<void> CpuCounters::read_cells() {
    std::fill(sums_.begin(), sums_.end(), Sum{});
    for (auto& cell : cells_) {
        const auto count = cell.group.read();
        if (!count) return count.error();
        add_up(cell, *count);
    }
    return {};
}

Result<void> CpuCounters::read(std::span<Reading> out) {
    if (auto done = read_cells(); !done) return done;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
        const Sum& sum = sums_[i];
        out[i] = session::scaled_reading(sum.count, sum.enabled_ns, sum.running_ns);
        if (sum.refused) out[i].state = CounterState::not_scheduled;
    }
    return {};
}

Result<void> CpuCounters::read_values(std::span<std::int64_t> out) {
    if (one_group_) {
        Cell& cell = cells_.front();
        const auto count = cell.group.read();
        if (!count) return count.error();
        if (count->values.empty()) return no_counter_free();
        const std::uint64_t enabled_ns = count->enabled_ns - cell.base_enabled_ns;
        const std::uint64_t running_ns = count->running_ns - cell.base_running_ns;
        for (std::size_t i = 0; i < cell.base.size(); ++i) {
            const std::uint64_t counted = count->values[i] - cell.base[i];
            out[i] = session::scaled_value(counted, enabled_ns, running_ns);
        }
        return {};
    }
    if (auto done = read_cells(); !done) return done;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
        if (sums_[i].refused) return no_counter_free();
        out[i] = session::scaled_value(sums_[i].count, sums_[i].enabled_ns, sums_[i].running_ns);
    }
    return {};
}

}  // namespace ringside::components::cpu
