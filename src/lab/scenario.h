// What the lab shall play: hosts, their own profiling, and virtual machines with threads and a
// profiler of theirs. Scenarios are TOML files; data/lab holds the ones that come along.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "lab/events.h"
#include "vpmu/model.h"
#include "vpmu/policy.h"

namespace ringside::lab {

struct HostProfile {
    EventName event = EventName::cycles;
    bool pinned = false;
    bool counts_guests = false;
};

// A stretch of a program: a function, or all of it.
struct Phase {
    std::string name;
    std::uint64_t ns = 0;  // 0: the only phase, and it never ends
    EventNumbers per_ms{};
    unsigned exits = 0;  // spread over the phase, each at a place of its own in it
    bool kernel = false;
};

// Phases follow each other and begin again.
struct ThreadPlan {
    std::string name;
    std::vector<Phase> phases;
};

// Who profiles inside a guest, and so which of perf's functions touch the registers when.
enum class GuestTool : std::uint8_t {
    system_wide,  // perf stat -a [-I]: events of the CPU
    stat,         // perf stat CMD: events of each thread, enabled when it starts
    record,       // perf record CMD
    library,      // a program that counts itself: opens, enables and disables event by event
};

struct ProfilePlan {
    GuestTool tool = GuestTool::system_wide;
    std::vector<std::vector<EventName>> groups;  // perf's groups: on the counters whole or not
    std::uint64_t period = 0;                    // samples the first event
    std::uint64_t interval_ms = 0;               // reads in between; 0 only at the end
    bool user_only = false;
    bool skips_hypercalls = true;  // paravirtual: not if the configuration stays

    bool is_idle() const { return groups.empty(); }
    std::vector<EventName> events() const;
};

struct MachinePlan {
    std::string name;
    unsigned count = 1;  // machines like this one, over all hosts
    vpmu::Policy policy = vpmu::Policy::mediated;
    vpmu::PmuModel model;  // what it was promised
    unsigned vcpus = 1;
    unsigned exits_per_ms = 1;
    unsigned fast_percent = 0;        // of those exits
    std::vector<ThreadPlan> threads;  // on every vCPU
    ProfilePlan profile;
    bool consents = false;
};

struct Scenario {
    std::string title;
    vpmu::PmuModel model;
    unsigned hosts = 1;
    unsigned cpus = 1;                  // of each host
    unsigned migrate_every_slices = 0;  // each vCPU moves to the next CPU; 0 never
    std::uint64_t duration_ns = 100'000'000;
    std::uint64_t slice_ns = 1'000'000;
    std::vector<HostProfile> host;
    std::vector<MachinePlan> machines;
};

// Errors name file, line and column.
Result<Scenario> parse_scenario(std::string_view text, const std::string& file);

// Puts every machine under another policy. Nothing, or why that machine cannot be.
Result<void> choose_policy(Scenario& scenario, std::string_view policy);

}  // namespace ringside::lab
