#include "trust/watch.h"

#include <algorithm>

#include <fmt/format.h>

#include "proc/stat.h"

namespace ringside::trust {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t slice_iterations = 500'000;

std::uint64_t ns_between(Clock::time_point from, Clock::time_point to) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count());
}

bool is_frozen(const SlotObservation& slot) {
    return !slot.count || *slot.count < with_tolerance(slot.expected).least;
}

std::optional<std::uint64_t> stolen_ns(const base::SysRoot& root) {
    const auto stat = proc::read_stat(root);
    if (!stat) return std::nullopt;
    return stat->total.steal * proc::tick_ns();
}

std::uint64_t median(std::vector<std::uint64_t> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// The first counter that counts cycles and never stopped.
std::optional<std::size_t> cycles_slot(const std::vector<Slice>& slices) {
    for (std::size_t slot = 0; slot < slices.front().slots.size(); ++slot) {
        if (slices.front().slots[slot].event != "cycles:u") continue;
        const bool whole = std::none_of(slices.begin(), slices.end(), [&](const Slice& slice) {
            return is_frozen(slice.slots[slot]);
        });
        if (whole) return slot;
    }
    return std::nullopt;
}

}  // namespace

std::vector<Slice> watch(const Ladder& ladder, std::chrono::nanoseconds duration) {
    std::vector<Slice> slices;
    const auto begin = Clock::now();
    auto now = begin;
    do {
        Slice slice;
        slice.at_ns = ns_between(begin, now);
        slice.slots = ladder.measure(slice_iterations);
        const auto end = Clock::now();
        slice.wall_ns = ns_between(now, end);
        slices.push_back(std::move(slice));
        now = end;
    } while (now - begin < duration);
    return slices;
}

std::vector<Freeze> find_freezes(const std::vector<Slice>& slices) {
    std::vector<Freeze> freezes;
    if (slices.empty()) return freezes;
    for (std::size_t slot = 0; slot < slices.front().slots.size(); ++slot) {
        bool frozen = false;
        for (const auto& slice : slices) {
            const auto& seen = slice.slots[slot];
            const bool now_frozen = is_frozen(seen);
            if (now_frozen && !frozen) {
                freezes.push_back({seen.slot, seen.event, slice.at_ns, std::nullopt});
            } else if (!now_frozen && frozen) {
                freezes.back().until_ns = slice.at_ns;
            }
            frozen = now_frozen;
        }
    }
    return freezes;
}

SelfTest judge_steal(const std::vector<Slice>& slices, std::uint64_t stolen_ns) {
    SelfTest test{"steal_contamination", std::nullopt, {}};
    const auto slot = slices.empty() ? std::nullopt : cycles_slot(slices);
    if (!slot) {
        test.detail = "no counter counted cycles all the time";
        return test;
    }
    std::vector<std::uint64_t> walls;
    std::vector<std::uint64_t> cycles;
    for (const auto& slice : slices) {
        walls.push_back(slice.wall_ns);
        cycles.push_back(*slice.slots[*slot].count);
    }
    const auto usual_wall = static_cast<double>(median(walls));
    const auto usual_cycles = static_cast<double>(median(cycles));
    double extra_wall = 0;
    double extra_cycles = 0;
    for (std::size_t i = 0; i < walls.size(); ++i) {
        if (static_cast<double>(walls[i]) < 1.5 * usual_wall) continue;
        extra_wall += static_cast<double>(walls[i]) - usual_wall;
        extra_cycles += static_cast<double>(cycles[i]) - usual_cycles;
    }
    if (stolen_ns == 0 || extra_wall == 0) {
        test.detail = "no time was stolen while it was watched";
        return test;
    }
    const double share = std::max(0.0, (extra_cycles / usual_cycles) / (extra_wall / usual_wall));
    test.state = share < 0.5 ? CounterState::ok : CounterState::implausible;
    test.detail = fmt::format(
        "{:.1f} ms stolen; slow slices took {:.1f} ms more than usual and counted {:.0f} % of it",
        static_cast<double>(stolen_ns) / 1e6, extra_wall / 1e6, 100 * share);
    return test;
}

WatchReport watch_and_judge(const base::SysRoot& root, const Ladder& ladder,
                            std::chrono::nanoseconds duration) {
    const auto stolen_before = stolen_ns(root);
    const auto slices = watch(ladder, duration);
    const auto stolen_after = stolen_ns(root);
    WatchReport report;
    report.watched_ns = slices.back().at_ns + slices.back().wall_ns;
    report.slices = slices.size();
    report.freezes = find_freezes(slices);
    const bool known = stolen_before && stolen_after && *stolen_after > *stolen_before;
    report.steal = judge_steal(slices, known ? *stolen_after - *stolen_before : 0);
    return report;
}

}  // namespace ringside::trust
