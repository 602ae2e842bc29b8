// Scenario files are written by people: any text gives a scenario or an error with a place, and a
// scenario that was accepted can be played.
#include "fuzz_input.h"
#include "lab/simulation.h"

namespace {

// Long ones are accepted, but not played: the fuzzer wants many, not large.
bool is_small(const ringside::lab::Scenario& scenario) {
    std::uint64_t vcpus = 0;
    std::uint64_t exits = 0;
    for (const auto& machine : scenario.machines) {
        vcpus += std::uint64_t{machine.count} * machine.vcpus;
        exits += machine.exits_per_ms;
        for (const auto& thread : machine.threads) {
            for (const auto& phase : thread.phases) {
                if (phase.ns != 0 && phase.ns < 10'000) return false;
            }
        }
        if (machine.profile.period != 0 && machine.profile.period < 100'000) return false;
    }
    return scenario.hosts <= 2 && scenario.cpus <= 4 && vcpus <= 8 && exits <= 50 &&
           scenario.duration_ns <= 20'000'000 && scenario.slice_ns >= 100'000;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto scenario =
        ringside::lab::parse_scenario(ringside::fuzz::as_text(data, size), "x.toml");
    if (!scenario) {
        RINGSIDE_ASSERT(scenario.error().what.starts_with("x.toml:"));
        return 0;
    }
    if (is_small(*scenario)) (void)ringside::lab::simulate(*scenario, ringside::lab::read_costs());
    return 0;
}
