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

// The set's own counters before and after the known loop, taken off again afterwards.
std::vector<std::uint64_t> gained_in_loop(Cell& cell) {
    perf::GroupCount before;
    perf::GroupCount after;
    if (!cell.group.read(before) || !before.on_counters) return {};
    const std::vector<std::uint64_t> values(before.values, before.values + cell.base.size());
    trust::counted_loop(loop_length);
    if (!cell.group.read(after) || !after.on_counters) return {};
    std::vector<std::uint64_t> gains;
    for (std::size_t i = 0; i < values.size(); ++i) {
        gains.push_back(after.values[i] - values[i]);
        cell.base[i] += gains.back();
    }
    cell.base_enabled_ns += after.enabled_ns - before.enabled_ns;
    cell.base_running_ns += after.running_ns - before.running_ns;
    return gains;
}

}  // namespace

void CpuCounters::judge(std::span<Reading> readings) {
    reasons_.assign(reasons_.size(), {});
    judge_by_loop(readings);
    for (std::size_t i = 0; i < readings.size(); ++i) {
        if (readings[i].state == CounterState::ok) judge_zero(i, readings[i]);
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
    const bool own = cells_.size() == 1 && ::pthread_equal(owner_, ::pthread_self()) != 0 &&
                     recipe_.options.target.kind == Target::Kind::calling_thread;
    if (!own || !running_ || recipe_.options.multiplex || recipe_.options.start_on_exec) return;
    std::vector<trust::SlotObservation> known;
    Cell& cell = cells_.front();
    for (std::size_t i = 0; i < cell.members.size(); ++i) {
        const CountedEvent& event = recipe_.events[cell.members[i].slot];
        if (event.software()) continue;
        const double least = recipe_.witness->least_in_loop(event.parts.front().event);
        if (least == 0) continue;
        trust::SlotObservation slot;
        slot.slot = static_cast<int>(i);
        slot.expected.least = static_cast<std::uint64_t>(least * (loop_length - 1));
        known.push_back(slot);
    }
    if (known.empty()) return;
    const auto gains = gained_in_loop(cell);
    if (gains.empty()) return;
    for (auto& slot : known) slot.count = gains[static_cast<std::size_t>(slot.slot)];
    for (const auto& verdict : trust::judge_slots(known, recipe_.witness->virtualized())) {
        if (verdict.state == CounterState::ok) continue;
        const std::size_t index = cell.members[static_cast<std::size_t>(verdict.slot)].slot;
        readings[index].state = verdict.state;
        reasons_[index] = "its counter stands still: " + verdict.detail + " in the known loop";
    }
}

std::string CpuCounters::explain(std::size_t index) const {
    const CountedEvent& event = recipe_.events[index];
    const Sum& sum = sums_[index];
    std::string text = reasons_[index];
    const auto say = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
    if (sum.refused) say("its group is not on counters, because somebody else holds them");
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
