#include "trust/judge.h"

#include <algorithm>

#include <fmt/format.h>

namespace ringside::trust {

namespace {

bool contains(const Interval& interval, std::uint64_t value) {
    return interval.least <= value && value <= interval.most;
}

std::string in_words(const Interval& interval) {
    if (interval.most == UINT64_MAX) return "at least " + grouped(interval.least);
    if (interval.least == interval.most) return grouped(interval.least);
    if (interval.least == 0) return "at most " + grouped(interval.most);
    return grouped(interval.least) + " to " + grouped(interval.most);
}

// What must be counted: the table's least, and what the witness saw.
Interval expected_of(const Observation& seen) {
    const std::uint64_t least = seen.caused.ran ? seen.provocation.least : 0;
    if (seen.provocation.witness == Witness::loop) return {least, least};
    const auto witnessed = seen.caused.seen_by(seen.provocation.witness);
    if (!witnessed) return {least, UINT64_MAX};
    return {std::max(least, witnessed->least), witnessed->most};
}

bool was_multiplexed(const perf::Count& count) {
    return count.running_ns < count.enabled_ns - count.enabled_ns / 100;
}

std::uint64_t scaled(const perf::Count& count) {
    if (!was_multiplexed(count)) return count.value;
    return static_cast<std::uint64_t>(static_cast<double>(count.value) *
                                      static_cast<double>(count.enabled_ns) /
                                      static_cast<double>(count.running_ns));
}

// Without what an empty measurement costs; an honest count is never below it.
std::uint64_t own_count(const Observation& seen) {
    const std::uint64_t value = scaled(*seen.count);
    return value - std::min(value, seen.baseline);
}

std::string listing(const Surroundings& around) {
    if (!around.advertised) return {};
    return *around.advertised ? "; the PMU lists it" : "; the PMU does not list it";
}

Verdict with(const Observation& seen, CounterState state, std::string detail) {
    Verdict verdict{seen.event.name, seen.event.kind, state, std::move(detail), std::nullopt};
    if (seen.count && seen.count->running_ns > 0) verdict.count = own_count(seen);
    return verdict;
}

Verdict judge_silence(const Observation& seen, const Surroundings& around) {
    const std::string zero =
        fmt::format("0 counted, {} certain to happen", in_words(expected_of(seen)));
    if (around.reference_alive.value_or(true)) {
        return with(seen, CounterState::dead, zero + listing(around));
    }
    if (around.virtualized) {
        return with(seen, CounterState::starved,
                    zero + "; no counter counts now, so the host has taken them" + listing(around));
    }
    return with(seen, CounterState::dead, zero + "; no counter of this PMU counts");
}

// What was counted is explained by what was done, or nothing contradicts it.
std::string explain_ok(const Observation& seen, const Interval& expected, std::uint64_t value) {
    std::string text = grouped(value) + " counted";
    if (!seen.caused.ran) {
        text += "; not provoked: " + seen.caused.why_not;
    } else if (value == 0 && expected.most == 0) {
        text += ", and an independent witness saw none either";
    } else if (expected.least == 0 && expected.most == UINT64_MAX) {
        text += "; nothing provokes it for certain";
    } else {
        text += ", " + in_words(expected) + " expected";
    }
    if (was_multiplexed(*seen.count)) {
        text += fmt::format("; scaled, it ran {} % of the time",
                            seen.count->running_ns * 100 / seen.count->enabled_ns);
    }
    if (seen.user_only) text += "; user mode only";
    return text;
}

Verdict judge_count(const Observation& seen, const Surroundings& around) {
    const Interval expected = expected_of(seen);
    const std::uint64_t value = own_count(seen);
    if (seen.grew_when_stopped > 0) {
        return with(
            seen, CounterState::implausible,
            fmt::format("counted {} more after it was stopped", grouped(seen.grew_when_stopped)));
    }
    if (value == 0 && expected.least > 0) return judge_silence(seen, around);
    if (contains(with_tolerance(expected), value)) {
        return with(seen, CounterState::ok, explain_ok(seen, expected, value));
    }
    return with(seen, CounterState::implausible,
                fmt::format("{} counted, {} happened", grouped(value), in_words(expected)));
}

}  // namespace

std::string grouped(std::uint64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ' ');
    return digits;
}

Interval with_tolerance(const Interval& known) {
    const auto slack = [](std::uint64_t value) { return value / 1000 + 64; };
    Interval wide = known;
    wide.least -= std::min(wide.least, known.least < 1000 ? 0 : slack(known.least));
    if (known.most < UINT64_MAX / 2) wide.most += slack(known.most);
    return wide;
}

bool needs_reference(const Observation& seen) {
    return !seen.open_error && seen.count && seen.count->running_ns > 0 && own_count(seen) == 0 &&
           expected_of(seen).least > 0 && seen.event.kind != model::EventKind::software;
}

Verdict judge(const Observation& seen, const Surroundings& around) {
    if (seen.open_error) {
        return with(seen, perf::state_of(*seen.open_error), seen.open_error->what);
    }
    if (seen.user_only && seen.provocation.level == Level::kernel) {
        return with(seen, CounterState::not_permitted,
                    "it happens in the kernel, and only user mode may be counted");
    }
    if (!seen.count) {
        return with(seen, CounterState::not_scheduled, "no counter was free for it");
    }
    if (seen.count->running_ns == 0) {
        return with(
            seen, CounterState::not_scheduled,
            fmt::format("enabled for {} us and never on a counter", seen.count->enabled_ns / 1000));
    }
    return judge_count(seen, around);
}

std::vector<SlotVerdict> judge_slots(const std::vector<SlotObservation>& slots, bool virtualized) {
    std::vector<SlotVerdict> verdicts;
    for (const auto& seen : slots) {
        SlotVerdict verdict{seen.slot, seen.event, CounterState::ok, {}, seen.count};
        if (!seen.count) {
            verdict.state = CounterState::not_scheduled;
            verdict.detail = "its counter was given to somebody else in this kernel";
        } else if (contains(with_tolerance(seen.expected), *seen.count)) {
            verdict.detail = fmt::format("{} counted, {} expected", grouped(*seen.count),
                                         in_words(seen.expected));
        } else {
            const bool too_few = *seen.count < seen.expected.least;
            const CounterState short_state = virtualized        ? CounterState::starved
                                             : *seen.count == 0 ? CounterState::dead
                                                                : CounterState::implausible;
            verdict.state = too_few ? short_state : CounterState::implausible;
            verdict.detail = fmt::format("{} counted, {} happened", grouped(*seen.count),
                                         in_words(seen.expected));
        }
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

}  // namespace ringside::trust
