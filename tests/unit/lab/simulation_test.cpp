#include "lab/simulation.h"

#include <gtest/gtest.h>

namespace ringside::lab {
namespace {

Scenario sampled(vpmu::Policy policy, const vpmu::PmuModel& model) {
    Scenario scenario;
    scenario.model = model;
    scenario.duration_ms = 50;
    scenario.cpus = 2;
    for (int i = 0; i < 3; ++i) {
        MachinePlan plan;
        plan.name = "m" + std::to_string(i);
        plan.policy = policy;
        plan.vcpus = 2;
        plan.exits_per_ms = 7;
        plan.fast_percent = 40;
        plan.per_ms[0] = 30'000 + 1000 * std::uint64_t(i);
        plan.per_ms[1] = 20'000;
        if (i > 0) plan.counts = {EventName::cycles, EventName::instructions};
        if (i > 1) plan.period = 10'000;
        scenario.machines.push_back(plan);
    }
    return scenario;
}

TEST(Simulation, GuestsCountTheTruthAndEveryPeriodIsASample) {
    for (const auto& model :
         {vpmu::intel_perfmon(4, 0), vpmu::amd_perfmon_v2(6), vpmu::arm_pmuv3(6)}) {
        for (const auto policy :
             {vpmu::Policy::legacy, vpmu::Policy::cpu_switch, vpmu::Policy::mediated,
              vpmu::Policy::lazy_mediated, vpmu::Policy::shared_view}) {
            const auto result = simulate(sampled(policy, model), read_costs());
            SCOPED_TRACE(vpmu::traits_of(policy).name);
            for (const auto& machine : result.machines) {
                for (const auto& event : machine.events) EXPECT_EQ(event.counted, event.truth);
            }
            // Two vCPUs; each has its own rest that did not fill a period.
            const auto& sampler = result.machines[2];
            EXPECT_EQ(sampler.samples, sampler.events[0].truth / 2 / 10'000 * 2);
            EXPECT_EQ(sampler.exits.pmu_interrupt, sampler.samples);
        }
    }
}

TEST(Simulation, IsDeterministicAndLazyMovesLess) {
    const auto model = vpmu::amd_perfmon_v2(6);
    const auto first = simulate(sampled(vpmu::Policy::mediated, model), read_costs());
    const auto again = simulate(sampled(vpmu::Policy::mediated, model), read_costs());
    const auto lazy = simulate(sampled(vpmu::Policy::lazy_mediated, model), read_costs());
    EXPECT_EQ(first.register_moves, again.register_moves);
    EXPECT_EQ(first.cycles_lost, again.cycles_lost);
    EXPECT_LT(lazy.register_moves * 3, first.register_moves);
}

TEST(Simulation, MediatedGuestsTrapOnlyTheirSelectors) {
    auto scenario = sampled(vpmu::Policy::legacy, vpmu::amd_perfmon_v2(6));
    const auto legacy = simulate(scenario, read_costs());
    for (auto& machine : scenario.machines) machine.policy = vpmu::Policy::mediated;
    const auto mediated = simulate(scenario, read_costs());
    // Two events on two vCPUs: selectors at start and stop; legacy adds counters, global enables
    // and reads.
    EXPECT_EQ(mediated.machines[1].exits.pmu_access, 2u * (2 + 2));
    EXPECT_EQ(legacy.machines[1].exits.pmu_access, 2u * (2 + 2 + 1 + 1 + 2 + 2));
}

}  // namespace
}  // namespace ringside::lab
