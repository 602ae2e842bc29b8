#include "components/cpu/counters.h"

#include <algorithm>

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

void CpuCounters::adopt(Recipe recipe, OpenCells opened) {
    recipe_ = std::move(recipe);
    cells_ = std::move(opened.cells);
    by_kernel_because_ = std::move(opened.by_kernel_because);
    registers_.reset();
    if (by_kernel_because_.empty()) {
        const Cell& cell = cells_.front();
        registers_.emplace();
        for (std::size_t i = 0; i < cell.pages.size(); ++i) {
            registers_->add(cell.pages[i].control(), cell.base[i]);
        }
    }
    reasons_.assign(recipe_.events.size(), {});
    sums_.clear();
    for (const auto& event : recipe_.events) {
        sums_.emplace_back().part_ns.resize(event.parts.size());
    }
    plain_ = cells_.size() == 1 && in_order(cells_.front().members) && !recipe_.options.multiplex;
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
// counted, and taking the present counts off costs no system call if they were read since the stop.
Result<void> CpuCounters::start() {
    if (settled_) {
        for (auto& cell : cells_) cell.rebase(cell.group.last());
    } else if (auto done = rebase(); !done) {
        return done;
    }
    settled_ = false;
    running_ = true;
    plain_registers_ = registers_ && plain_;
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
    plain_registers_ = false;
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
        perf::GroupCount count;
        if (!cell.group.read(count)) return perf::Group::read_error();
        cell.rebase(count);
    }
    return {};
}

void CpuCounters::clear_sums() {
    for (auto& sum : sums_) {
        sum.count = sum.enabled_ns = sum.running_ns = 0;
        std::fill(sum.part_ns.begin(), sum.part_ns.end(), 0);
        sum.refused = false;
    }
}

void CpuCounters::add_up(const Cell& cell, std::size_t member, const perf::Count& count) {
    const auto [slot, part] = cell.members[member];
    Sum& sum = sums_[slot];
    sum.count += count.value;
    sum.running_ns += count.running_ns;
    sum.part_ns[part] += count.running_ns;
    // A thread is on one kind of core at a time: the parts take turns in the same time.
    if (part == 0) sum.enabled_ns += count.enabled_ns;
}

bool CpuCounters::add_up_registers() {
    if (!registers_ || !running_ || !registers_->registers().is_ours()) return false;
    clear_sums();
    for (const auto& cell : cells_) {
        for (std::size_t i = 0; i < cell.members.size(); ++i) {
            const auto count = cell.read_register(i);
            if (!count) return false;
            add_up(cell, i, *count);
        }
    }
    return true;
}

Result<void> CpuCounters::add_up_groups() {
    clear_sums();
    for (auto& cell : cells_) {
        perf::GroupCount count;
        if (!cell.group.read(count)) return perf::Group::read_error();
        for (std::size_t i = 0; i < cell.members.size(); ++i) {
            if (!count.on_counters) {
                sums_[cell.members[i].slot].refused = true;
                continue;
            }
            add_up(cell, i,
                   {count.values[i] - cell.base[i], count.enabled_ns - cell.base_enabled_ns,
                    count.running_ns - cell.base_running_ns});
        }
    }
    settled_ = !running_;
    return {};
}

// A pinned event that found no counter is in the kernel's error state, where its clock stands; once
// its thread has ended, that is all there is to see of it.
bool CpuCounters::never_enabled(std::size_t index) const {
    if (recipe_.events[index].software() || sums_[index].enabled_ns != 0) return false;
    const bool has_run = recipe_.options.start_on_exec && !running_;
    return has_run || std::any_of(sums_.begin(), sums_.end(),
                                  [](const Sum& sum) { return sum.enabled_ns != 0; });
}

Result<void> CpuCounters::read(std::span<Reading> out) {
    by_registers_ = add_up_registers();
    if (!by_registers_) {
        if (auto done = add_up_groups(); !done) return done;
    }
    for (std::size_t i = 0; i < sums_.size(); ++i) {
        Sum& sum = sums_[i];
        sum.refused = sum.refused || never_enabled(i);
        out[i] = session::scaled_reading(sum.count, sum.enabled_ns, sum.running_ns);
        if (sum.refused) out[i].state = CounterState::not_scheduled;
    }
    return {};
}

// Events that share one group and are not multiplexed are on their counters all the time, so that
// registers need no times beside them, and counts no scaling.
bool CpuCounters::read_plain(std::int64_t* out) {
    if (plain_registers_ && registers_->registers().read(out, sums_.size())) return true;
    if (!plain_) return false;
    Cell& cell = cells_.front();
    if (!cell.group.read_plain()) return false;
    const perf::GroupCount count = cell.group.last();
    if (count.enabled_ns - cell.base_enabled_ns != count.running_ns - cell.base_running_ns) {
        return false;
    }
    if (!running_) settled_ = true;
    const std::uint64_t* value = count.values;
    const std::uint64_t* base = cell.base.data();
    const std::uint64_t* const end = base + cell.base.size();
    do {  // a set is never empty
        *out++ = static_cast<std::int64_t>(*value++ - *base++);
    } while (base != end);
    return true;
}

const perf::Registers& CpuCounters::registers() const {
    return plain_registers_ ? registers_->registers() : perf::no_registers;
}

Result<void> CpuCounters::read_values(std::span<std::int64_t> out) {
    if (read_plain(out.data())) return {};
    return read_scattered(out);
}

Result<void> CpuCounters::read_scattered(std::span<std::int64_t> out) {
    if (!add_up_registers()) {
        if (auto done = add_up_groups(); !done) return done;
    }
    for (std::size_t i = 0; i < sums_.size(); ++i) {
        if (sums_[i].refused) return no_counter_free();
        out[i] = session::scaled_value(sums_[i].count, sums_[i].enabled_ns, sums_[i].running_ns);
    }
    return {};
}

}  // namespace ringside::components::cpu
