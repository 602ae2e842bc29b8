#include "lab/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab_run.h"

namespace ringside::lab {
namespace {

Phase endless(std::uint64_t cycles, std::uint64_t instructions) {
    Phase phase;
    phase.per_ms[0] = cycles;
    phase.per_ms[1] = instructions;
    return phase;
}

Scenario sampled(vpmu::Policy policy, const vpmu::PmuModel& model) {
    Scenario scenario;
    scenario.model = model;
    scenario.duration_ns = 50'000'000;
    scenario.cpus = 2;
    for (unsigned i = 0; i < 3; ++i) {
        MachinePlan plan;
        plan.name = "m" + std::to_string(i);
        plan.policy = policy;
        plan.model = model;
        plan.vcpus = 2;
        plan.exits_per_ms = 7;
        plan.fast_percent = 40;
        plan.threads = {{"", {endless(30'000 + 1000 * i, 20'000)}}};
        if (i > 0) plan.profile.groups = {{EventName::cycles}, {EventName::instructions}};
        if (i > 1) plan.profile.period = 10'007;
        scenario.machines.push_back(plan);
    }
    return scenario;
}

constexpr vpmu::Policy exact_policies[] = {vpmu::Policy::legacy,      vpmu::Policy::cpu_switch,
                                           vpmu::Policy::mediated,    vpmu::Policy::lazy_mediated,
                                           vpmu::Policy::shared_view, vpmu::Policy::paravirtual};
const vpmu::PmuModel models[] = {vpmu::intel_perfmon(4, 0), vpmu::intel_perfmon(4, 3),
                                 vpmu::amd_perfmon_v2(6), vpmu::arm_pmuv3(6)};

TEST(Simulation, GuestsCountTheTruthAndEveryPeriodIsASample) {
    for (const auto& model : models) {
        for (const auto policy : exact_policies) {
            const auto result = simulate(sampled(policy, model), read_costs());
            SCOPED_TRACE(vpmu::traits_of(policy).name);
            for (const auto& machine : result.machines) {
                for (const auto& event : machine.events) EXPECT_EQ(event.counted, event.truth);
            }
            // Two vCPUs; each has its own rest that did not fill a period.
            const auto& sampler = result.machines[2];
            EXPECT_EQ(sampler.samples, sampler.events[0].truth / 2 / 10'007 * 2);
            EXPECT_EQ(sampler.exits.pmu_interrupt, sampler.samples);
        }
    }
}

TEST(Simulation, ThreadsThatMoveBetweenCpusCountTheirOwn) {
    for (const auto& model : models) {
        for (const auto policy : exact_policies) {
            Scenario scenario = sampled(policy, model);
            scenario.cpus = 3;
            scenario.migrate_every_slices = 4;
            for (MachinePlan& plan : scenario.machines) {
                plan.threads = {{"a", {endless(30'000, 20'000)}}, {"b", {endless(9'000, 70'001)}}};
                plan.profile.tool = GuestTool::stat;
            }
            const auto result = simulate(scenario, read_costs());
            SCOPED_TRACE(vpmu::traits_of(policy).name);
            for (const auto& machine : result.machines) {
                EXPECT_EQ(machine.migrations, 2u * 12);
                for (const auto& thread : machine.threads) {
                    EXPECT_GT(thread.lost_cycles, 0u);
                    for (const auto& event : thread.events) {
                        EXPECT_GT(event.truth, 0u);
                        EXPECT_EQ(event.counted, event.truth) << machine.name << thread.name;
                    }
                }
            }
        }
    }
}

TEST(Simulation, SkidIsTheLatencyAtTheEventsRate) {
    // 2 events in a nanosecond, interrupts 30 ns late; the period does not end with a slice or an
    // exit, where the interrupt would be noticed sooner.
    for (const auto policy : {vpmu::Policy::legacy, vpmu::Policy::mediated,
                              vpmu::Policy::lazy_mediated, vpmu::Policy::cpu_switch}) {
        for (const auto& model : models) {
            Scenario scenario = sampled(policy, model);
            scenario.machines.resize(1);
            MachinePlan& plan = scenario.machines[0];
            plan.vcpus = 1;
            plan.exits_per_ms = 0;
            plan.threads = {{"", {endless(2'000'000, 0)}}};
            plan.profile.groups = {{EventName::cycles}};
            plan.profile.period = 900'001;
            scenario.slice_ns = 50'000'000;
            const auto machine = simulate(scenario, read_costs()).machines[0];
            SCOPED_TRACE(vpmu::traits_of(policy).name);
            EXPECT_EQ(machine.samples, 100'000'000u / 900'001);
            EXPECT_EQ(machine.skid.count, machine.samples);
            // The overflow itself falls between two whole nanoseconds.
            EXPECT_GE(machine.skid.least, 60u);
            EXPECT_LE(machine.skid.most, 61u);
            EXPECT_GE(machine.skid.total, 60u * machine.skid.count);
        }
    }
}

TEST(Simulation, IsDeterministicAndLazyMovesLess) {
    const auto model = vpmu::amd_perfmon_v2(6);
    const auto first = simulate(sampled(vpmu::Policy::mediated, model), read_costs());
    const auto again = simulate(sampled(vpmu::Policy::mediated, model), read_costs());
    const auto lazy = simulate(sampled(vpmu::Policy::lazy_mediated, model), read_costs());
    EXPECT_EQ(first.register_moves, again.register_moves);
    EXPECT_EQ(first.pmu_cycles(), again.pmu_cycles());
    EXPECT_LT(lazy.register_moves * 3, first.register_moves);
}

TEST(Simulation, TimeLostIsAccountedForByMachineAndThread) {
    const auto costs = read_costs();
    const auto result = played("threads");
    for (const auto& machine : result.machines) {
        const std::uint64_t pmu_exits = machine.exits.for_pmu();
        EXPECT_EQ(machine.pmu_cycles, pmu_exits * costs.exit_cycles +
                                          machine.register_moves * costs.register_move_cycles);
        EXPECT_EQ(machine.exit_cycles, machine.exits.other * costs.exit_cycles +
                                           machine.exits.fast * costs.fast_exit_cycles);
        std::uint64_t by_thread = 0;
        for (const auto& thread : machine.threads) by_thread += thread.lost_cycles;
        EXPECT_EQ(by_thread, machine.pmu_cycles + machine.exit_cycles);
    }
}

TEST(Simulation, MultiplexedEventsAreEstimatedFromTheirShareOfTheTime) {
    const auto guest = played("arm-multiplex", "mediated").machines[0];
    for (const auto& event : guest.events) {
        EXPECT_LT(event.running_share, 0.9);
        EXPECT_GT(event.running_share, 0.8);
        EXPECT_NEAR(double(event.counted), double(event.truth), 0.0001 * double(event.truth));
    }
}

TEST(Simulation, PinnedHostEventsStarveALegacyGuestAndItIsTold) {
    const auto guest = played("conflict-legacy").machines[0];
    for (const std::size_t starved : {2u, 3u}) {
        EXPECT_EQ(guest.events[starved].counted, 0u);
        EXPECT_GT(guest.events[starved].truth, 0u);
        EXPECT_TRUE(guest.events[starved].starved);
    }
    for (const std::size_t fed : {0u, 1u}) {
        EXPECT_EQ(guest.events[fed].counted, guest.events[fed].truth);
        EXPECT_FALSE(guest.events[fed].starved);
    }
}

TEST(Simulation, TheHypercallIsSkippedWhereNothingChanges) {
    const auto result = played("paravirtual");
    EXPECT_EQ(result.machines[0].exits.hypercall, 2u);           // configure, and leave
    EXPECT_EQ(result.machines[1].exits.hypercall, 2u + 99 + 4);  // thread switches, preemptions
    EXPECT_GT(result.machines[1].register_moves, result.machines[0].register_moves);
}

TEST(Simulation, AFleetIsDealtOutToItsHosts) {
    Scenario scenario = sampled(vpmu::Policy::mediated, vpmu::amd_perfmon_v2(6));
    scenario.duration_ns = 5'000'000;
    scenario.hosts = 4;
    scenario.cpus = 1;
    for (MachinePlan& plan : scenario.machines) plan.count = 10;
    const auto result = simulate(scenario, read_costs());
    // 30 machines of two vCPUs, five slices each, and a last one for those that count.
    EXPECT_EQ(result.switches, 30u * 2 * 5 + 20 * 2);
    EXPECT_EQ(result.machines[1].events[0].truth, 20u * 5 * 31'000);
    EXPECT_EQ(result.machines[1].events[0].counted, result.machines[1].events[0].truth);
}

}  // namespace
}  // namespace ringside::lab
