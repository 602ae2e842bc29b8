// Plays a scenario on the engine and keeps the truth beside it. Deterministic: the same scenario
// gives the same numbers. The cost grows with the number of switches and exits, not with simulated
// instructions.
#pragma once

#include <optional>

#include "lab/costs.h"
#include "lab/pmu_port.h"
#include "lab/scenario.h"
#include "lab/timeline.h"

namespace ringside::lab {

struct CountedEvent {
    EventName event = EventName::cycles;
    std::uint64_t counted = 0;
    std::uint64_t truth = 0;
    double running_share = 1;  // of the time enabled, on a counter; below 1 it was multiplexed
    bool starved = false;      // at any time
};

struct Exits {
    std::uint64_t pmu_register = 0;  // MSRs or system registers
    std::uint64_t pmu_rdpmc = 0;
    std::uint64_t pmu_interrupt = 0;
    std::uint64_t hypercall = 0;
    std::uint64_t fast = 0;
    std::uint64_t other = 0;

    std::uint64_t for_pmu() const { return pmu_register + pmu_rdpmc + pmu_interrupt + hypercall; }
    std::uint64_t all() const { return for_pmu() + fast + other; }
};

// Samples that fell into a phase, which scenarios name like functions.
struct PhaseResult {
    std::string name;
    std::uint64_t samples = 0;
};

struct ThreadResult {
    std::string name;
    std::vector<CountedEvent> events;  // empty if the profiler does not follow threads
    std::vector<PhaseResult> phases;
    std::uint64_t lost_cycles = 0;
};

struct MachineResult {
    std::string name;
    unsigned machines = 1;
    vpmu::Policy policy = vpmu::Policy::mediated;
    std::vector<CountedEvent> events;   // over all machines of the name, vCPUs and threads
    std::vector<ThreadResult> threads;  // over all vCPUs
    std::uint64_t samples = 0;
    Exits exits;
    AccessTable accesses;
    vpmu::Skid skid;
    std::uint64_t register_moves = 0;
    std::uint64_t migrations = 0;            // of vCPUs to another CPU
    std::uint64_t guest_ns = 0;              // that its vCPUs ran
    std::uint64_t exit_cycles = 0;           // lost to exits that have nothing to do with the PMU
    std::uint64_t pmu_cycles = 0;            // lost to the PMU: its exits and register moves
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
    std::uint64_t switches = 0;  // of vCPUs
    // The first machine's shared page, as its first vCPU left it before it stopped counting.
    std::vector<std::uint64_t> page;

    std::uint64_t guest_ns() const;
    std::uint64_t exit_cycles() const;
    std::uint64_t pmu_cycles() const;
};

// `timeline` may be null.
SimulationResult simulate(const Scenario& scenario, const Costs& costs,
                          Timeline* timeline = nullptr);

}  // namespace ringside::lab
