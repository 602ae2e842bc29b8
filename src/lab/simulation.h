// Plays a scenario on the engine and keeps the truth beside it. Deterministic: the same scenario
// gives the same numbers. The cost grows with the number of exits, not with simulated instructions.
#pragma once

#include <optional>

#include "lab/costs.h"
#include "lab/scenario.h"

namespace ringside::lab {

struct CountedEvent {
    EventName event = EventName::cycles;
    std::uint64_t counted = 0;
    std::uint64_t truth = 0;
    bool starved = false;  // at any time
};

struct Exits {
    std::uint64_t pmu_access = 0;
    std::uint64_t pmu_interrupt = 0;
    std::uint64_t fast = 0;
    std::uint64_t other = 0;
};

struct MachineResult {
    std::string name;
    vpmu::Policy policy = vpmu::Policy::mediated;
    std::vector<CountedEvent> events;  // over all vCPUs
    std::uint64_t samples = 0;
    Exits exits;
    std::optional<std::uint64_t> host_view;  // of the first event; nothing unless it consents
};

struct HostResult {
    EventName event = EventName::cycles;
    bool placed = true;  // not in the error state
    bool counted = false;
    std::uint64_t count = 0;
};

struct SimulationResult {
    std::vector<MachineResult> machines;
    std::vector<HostResult> host;  // summed over CPUs
    std::uint64_t register_moves = 0;
    std::uint64_t switches = 0;
    std::uint64_t cycles_lost = 0;  // to exits and register moves
    std::uint64_t cycles = 0;       // of all guests
};

SimulationResult simulate(const Scenario& scenario, const Costs& costs);

}  // namespace ringside::lab
