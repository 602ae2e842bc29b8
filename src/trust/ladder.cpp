#include "trust/ladder.h"

#include <algorithm>
#include <array>

#include <linux/perf_event.h>

#include "trust/loops.h"

namespace ringside::trust {

namespace {

constexpr std::size_t most_rungs = 64;  // no PMU has more counters than bits in a mask of them

model::Event filler(const char* name, std::uint64_t config) {
    model::Event event;
    event.name = name;
    event.code = {PERF_TYPE_HARDWARE, config, 0, 0};
    return model::user_only(event);
}

// An event that is on a counter now, or why there is none.
Result<perf::EventFd> pin(const model::Event& event) {
    perf::OpenOptions options;
    options.pinned = true;
    auto fd = perf::EventFd::open(event, {}, options);
    if (!fd) return fd;
    if (auto enabled = fd->enable(); !enabled) return enabled.error();
    counted_loop(100);
    const auto count = fd->read();
    if (!count) return count.error();
    if (!*count) return Error{ErrorCode::busy, 0, "no counter is free for " + event.name, {}};
    return fd;
}

Interval expected_of(bool counts_instructions, std::uint64_t iterations) {
    const std::uint64_t instructions = iterations * loop_instructions;
    if (counts_instructions) return {instructions, instructions};
    return {iterations / loop_iterations_per_cycle, UINT64_MAX};
}

}  // namespace

Ladder Ladder::climb() {
    const std::array fillers{filler("instructions", PERF_COUNT_HW_INSTRUCTIONS),
                             filler("cycles", PERF_COUNT_HW_CPU_CYCLES),
                             filler("ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES)};
    Ladder ladder;
    for (const auto& event : fillers) {
        while (ladder.rungs_.size() < most_rungs) {
            auto fd = pin(event);
            if (!fd) {
                if (ladder.why_empty_.empty()) ladder.why_empty_ = fd.error().what;
                break;
            }
            const bool instructions = event.code.config == PERF_COUNT_HW_INSTRUCTIONS;
            ladder.rungs_.push_back({event.name, instructions, std::move(*fd)});
        }
    }
    return ladder;
}

Ladder::Readings Ladder::read() const {
    Readings readings;
    readings.reserve(rungs_.size());
    for (const auto& rung : rungs_) {
        const auto count = rung.fd.read();
        const bool on = count.has_value() && count->has_value();
        readings.push_back(on ? std::optional((*count)->value) : std::nullopt);
    }
    return readings;
}

Ladder::Readings Ladder::gained(std::uint64_t iterations) const {
    const Readings before = read();
    counted_loop(iterations);
    Readings gains = read();
    for (std::size_t i = 0; i < gains.size(); ++i) {
        if (gains[i] && before[i]) gains[i] = *gains[i] - *before[i];
    }
    return gains;
}

std::vector<SlotObservation> Ladder::measure(std::uint64_t iterations) const {
    const Readings empty = gained(1);
    const Readings full = gained(iterations);
    std::vector<SlotObservation> slots;
    for (std::size_t i = 0; i < rungs_.size(); ++i) {
        SlotObservation slot;
        slot.slot = static_cast<int>(i);
        slot.event = rungs_[i].event;
        slot.expected = expected_of(rungs_[i].counts_instructions, iterations - 1);
        if (full[i] && empty[i]) slot.count = *full[i] - std::min(*full[i], *empty[i]);
        slots.push_back(std::move(slot));
    }
    return slots;
}

}  // namespace ringside::trust
