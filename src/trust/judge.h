// From what was observed to a verdict. Pure functions: every state can be reached without a PMU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "perf/event_fd.h"
#include "trust/provocation.h"
#include "trust/report.h"

namespace ringside::trust {

// What is known besides the event itself.
struct Surroundings {
    bool virtualized = true;  // not known counts as true: then a host may take counters
    // A counter counted the known loop right after; unset when nothing of the kind could be tried.
    std::optional<bool> reference_alive;
    // Whether the PMU lists the event (sysfs, which follows PMCEID on arm64); unset: no such list.
    std::optional<bool> advertised;
};

// One event, opened, provoked, stopped and read.
struct Observation {
    model::Event event;
    Provocation provocation;
    std::optional<Error> open_error;
    bool user_only = false;            // because more was not permitted
    std::optional<perf::Count> count;  // unset: the kernel put it into its error state
    std::uint64_t baseline = 0;        // what a measurement of nothing counts
    std::uint64_t grew_when_stopped = 0;
    Caused caused;
};

// Known counts are compared to this: interrupts add an event or two on several processors.
Interval with_tolerance(const Interval& known);

// True if only the surroundings can tell dead from starved.
bool needs_reference(const Observation& observation);
Verdict judge(const Observation& observation, const Surroundings& surroundings);

struct SlotObservation {
    int slot = 0;
    std::string event;
    Interval expected;
    std::optional<std::uint64_t> count;  // unset: it fell into the error state
};

// The counters of a pinned ladder that all counted the same known loop.
std::vector<SlotVerdict> judge_slots(const std::vector<SlotObservation>& slots, bool virtualized);

// "12 345" is easier to compare by eye than "12345".
std::string grouped(std::uint64_t number);

}  // namespace ringside::trust
