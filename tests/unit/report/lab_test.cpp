// `ringside lab`: what guests counted beside the truth, of a made-up result.
#include <gtest/gtest.h>

#include "golden.h"
#include "report/lab/lab_report.h"

namespace ringside::report {
namespace {

lab::MachineResult made_database() {
    lab::MachineResult machine;
    machine.name = "database";
    machine.machines = 2;
    machine.events = {{lab::EventName::cycles, 1000, 1000},
                      {lab::EventName::instructions, 900, 1000},
                      {lab::EventName::instructions, 1100, 1000},
                      {lab::EventName::cycles, 0, 1000, 1, true},
                      {lab::EventName::cycles, 990, 1000, 0.5}};
    machine.samples = 40;
    machine.skid = {40, 80, 1, 3};
    machine.exits = {1, 2, 3, 4, 5, 6};
    machine.accesses.counts[0][0][1] = {7, 1};
    machine.register_moves = 12;
    machine.migrations = 1;
    machine.guest_ns = 1'000'000;
    machine.exit_cycles = 6'000;
    machine.pmu_cycles = 3'000;
    machine.host_view = 998;
    lab::ThreadResult thread;
    thread.name = "worker";
    thread.events = {{lab::EventName::instructions, 500, 500}};
    thread.phases = {{"parse", 30}, {"idle", 0}};
    thread.lost_cycles = 1'500;
    machine.threads = {thread};
    return machine;
}

lab::SimulationResult made_result() {
    lab::SimulationResult result;
    result.machines = {made_database(), {}};
    result.machines[1].name = "idle";
    result.host = {{lab::EventName::cycles, true, true, 5000},
                   {lab::EventName::cycles, true, false, 0},
                   {lab::EventName::instructions, false, false, 0}};
    result.register_moves = 20;
    result.switches = 3;
    return result;
}

lab::Costs made_costs() {
    lab::Costs costs = lab::read_costs();
    costs.cpu_mhz = 3000;
    costs.hardware_switch_cycles = 120;
    costs.register_move_cycles = 80;
    return costs;
}

TEST(LabReport, TextAndJson) {
    lab::Scenario scenario;
    scenario.title = "a profiler in a guest";
    golden::expect("lab.txt", lab_text(scenario, made_result(), made_costs(), Style(nullptr)));
    golden::expect("lab.json", lab_json(scenario, made_result(), made_costs()));
}

TEST(LabReport, Sweep) {
    lab::SweepResult sweep;
    const std::vector<double> costs{0.1, 0.2, 0.3, 1, 2, 3, 12.345, 100};
    sweep.ways = {{"legacy", costs, {}}, {"mediated", costs, 17}, {"hardware", costs, {}}};
    golden::expect("lab_sweep.txt", lab_sweep_text(sweep, made_costs()));
}

}  // namespace
}  // namespace ringside::report
