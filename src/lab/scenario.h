// What the lab shall play: a host, its own profiling, and virtual machines with theirs. Scenarios
// are TOML files; data/lab holds the ones that come along.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "vpmu/policy.h"
#include "vpmu/state.h"

namespace ringside::lab {

// Events the lab knows by name, in the order of Scenario::rates.
enum class EventName : std::uint8_t { cycles, instructions, branches, cache_misses };
inline constexpr unsigned event_names = 4;
std::string_view to_string(EventName name);
// How the architecture encodes it.
vpmu::Event encode(vpmu::Architecture architecture, EventName name);

struct HostProfile {
    EventName event = EventName::cycles;
    bool pinned = false;
    bool counts_guests = false;
};

struct MachinePlan {
    std::string name;
    vpmu::Policy policy = vpmu::Policy::mediated;
    unsigned vcpus = 1;
    unsigned exits_per_ms = 1;
    unsigned fast_percent = 0;               // of those exits
    std::uint64_t per_ms[event_names] = {};  // what its programs cause
    std::vector<EventName> counts;           // guest's perf stat
    std::uint64_t period = 0;                // guest's perf record on the first of them
    bool consents = false;
};

struct Scenario {
    std::string title;
    vpmu::PmuModel model;
    unsigned cpus = 1;
    unsigned duration_ms = 100;
    unsigned slice_ms = 1;
    std::vector<HostProfile> host;
    std::vector<MachinePlan> machines;
};

// Errors name file, line and column.
Result<Scenario> parse_scenario(std::string_view text, const std::string& file);

}  // namespace ringside::lab
