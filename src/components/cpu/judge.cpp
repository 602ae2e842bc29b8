// The verdicts on a set's readings, and their reasons.
#include "trust/judge.h"

#include <fmt/format.h>

#include "components/cpu/counters.h"
#include "trust/loops.h"

namespace ringside::components::cpu {

namespace {

// Long enough to tell a counter that stands still from one that is read a moment late.
constexpr std::uint64_t loop_length = 10'000;

bool is_verdict_on_counting(CounterState state) {
    return state == CounterState::dead || state == CounterState::starved ||
           state == CounterState::implausible;
}

std::uint64_t percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : (part * 100 + whole / 2) / whole;
}

// What a cell's counters stood at, to see what they gained since.
class Standing {
  public:
    // Reads them; false if they are not on counters.
    bool take(Cell& cell) {
        perf::GroupCount count;
        if (!cell.group.read(count) || !count.on_counters) return false;
        values_.assign(count.values, count.values + cell.base.size());
        enabled_ns_ = count.enabled_ns;
        running_ns_ = count.running_ns;
        return true;
    }
    std::uint64_t value(std::size_t member) const { return values_[member]; }

    // Leaves out of the set what was counted from `before` until now.
    static void leave_out(Cell& cell, const Standing& before) {
        Standing now;
        if (!now.take(cell)) return;
        for (std::size_t i = 0; i < cell.base.size(); ++i) {
            cell.base[i] += now.values_[i] - before.values_[i];
        }
        cell.base_enabled_ns += now.enabled_ns_ - before.enabled_ns_;
        cell.base_running_ns += now.running_ns_ - before.running_ns_;
    }

  private:
    std::vector<std::uint64_t> values_;
    std::uint64_t enabled_ns_ = 0;
    std::uint64_t running_ns_ = 0;
};

}  // namespace

// The set runs, and on the very thread that is judging it.
bool CpuCounters::measures_itself() const {
    return running_ && !recipe_.options.start_on_exec &&
           recipe_.options.target.kind == Target::Kind::calling_thread &&
           recipe_.options.target.id == ::gettid();
}

// Judging is work; what it makes the set count is left out again.
void CpuCounters::judge(std::span<Reading> readings) {
    reasons_.assign(reasons_.size(), {});
    if (std::all_of(recipe_.events.begin(), recipe_.events.end(),
                    [](const CountedEvent& event) { return event.software(); })) {
        return;
    }
    std::vector<std::optional<Standing>> before(cells_.size());
    for (std::size_t i = 0; measures_itself() && i < cells_.size(); ++i) {
        if (!before[i].emplace().take(cells_[i])) before[i].reset();
    }
    judge_by_loop(readings);
    for (std::size_t i = 0; i < readings.size(); ++i) {
        if (readings[i].state == CounterState::ok) judge_zero(i, readings[i]);
    }
    for (std::size_t i = 0; i < cells_.size(); ++i) {
        if (before[i]) Standing::leave_out(cells_[i], *before[i]);
    }
}

// A 0 of a hardware event is believed if the event counts when it is provoked.
void CpuCounters::judge_zero(std::size_t index, Reading& reading) {
    const CountedEvent& event = recipe_.events[index];
    if (event.software() || reading.value != 0 || reading.running_ns == 0) return;
    const auto verdict = recipe_.witness->examine(event.parts.front().event);
    if (is_verdict_on_counting(verdict.state)) reading.state = verdict.state;
    reasons_[index] = "it reads 0; provoked: " + verdict.detail;
}

// When a host takes a counter away, the kernel goes on to say that the event runs. What shows it is
// work whose counts are known, while the set is still on its counters.
void CpuCounters::judge_by_loop(std::span<Reading> readings) {
    if (!measures_itself() || cells_.size() != 1 || recipe_.options.multiplex) return;
    Cell& cell = cells_.front();
    std::vector<trust::SlotObservation> known;
    for (std::size_t i = 0; i < cell.members.size(); ++i) {
        const CountedEvent& event = recipe_.events[cell.members[i].slot];
        if (event.software()) continue;
        const double least = recipe_.witness->least_in_loop(event.parts.front().event);
        if (least == 0) continue;
        trust::SlotObservation& slot = known.emplace_back();
        slot.slot = static_cast<int>(i);
        slot.expected.least = static_cast<std::uint64_t>(least * (loop_length - 1));
    }
    Standing before;
    Standing after;
    if (known.empty() || !before.take(cell)) return;
    trust::counted_loop(loop_length);
    if (!after.take(cell)) return;
    for (auto& slot : known) {
        const auto member = static_cast<std::size_t>(slot.slot);
        slot.count = after.value(member) - before.value(member);
    }
    for (const auto& verdict : trust::judge_slots(known, recipe_.witness->virtualized())) {
        if (verdict.state == CounterState::ok) continue;
        const std::size_t index = cell.members[static_cast<std::size_t>(verdict.slot)].slot;
        readings[index].state = verdict.state;
        reasons_[index] = "its counter stands still: " + verdict.detail + " in the known loop";
    }
}

std::string CpuCounters::reason(std::size_t index) const {
    const Sum& sum = sums_[index];
    if (sum.refused) return "its group is not on counters, because somebody else holds them";
    if (sum.enabled_ns > 0 && sum.running_ns == 0) return "it never got onto a counter";
    return reasons_[index];
}

std::string CpuCounters::explain(std::size_t index) const {
    const CountedEvent& event = recipe_.events[index];
    const Sum& sum = sums_[index];
    std::string text = reason(index);
    const auto say = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
    if (event.parts.size() > 1) {
        for (std::size_t i = 0; i < event.parts.size(); ++i) {
            say(fmt::format("{} % of its time on {}", percent(sum.part_ns[i], sum.running_ns),
                            event.parts[i].pmu));
        }
    }
    if (sum.running_ns < sum.enabled_ns) {
        say(fmt::format("counted {} % of the time and scaled up",
                        percent(sum.running_ns, sum.enabled_ns)));
    }
    if (event.software()) return text;
    if (by_registers_) {
        say("read from its register");
    } else {
        say("read by a system call");
        if (!by_kernel_because_.empty()) text += ", because " + by_kernel_because_;
    }
    return text;
}

}  // namespace ringside::components::cpu
