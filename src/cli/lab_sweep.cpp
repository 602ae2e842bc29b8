#include "cli/lab_sweep.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace ringside::cli {

namespace {

using vpmu::Policy;

constexpr unsigned most_exits_per_ms = 1000;

// A way to share the PMU: a policy, with registers moved by software or by hardware.
struct Way {
    const char* name;
    Policy policy;
    bool by_hardware;
};
constexpr Way ways[] = {{"legacy", Policy::legacy, false},
                        {"mediated", Policy::mediated, false},
                        {"lazy_mediated", Policy::lazy_mediated, false},
                        {"hardware", Policy::mediated, true}};

std::uint64_t all_exits(const lab::SimulationResult& result) {
    std::uint64_t exits = 0;
    for (const auto& machine : result.machines) exits += machine.exits.all();
    return exits;
}

std::uint64_t machine_moves(const lab::SimulationResult& result) {
    std::uint64_t moves = 0;
    for (const auto& machine : result.machines) moves += machine.register_moves;
    return moves;
}

class Sweep {
  public:
    Sweep(const lab::Scenario& scenario, const lab::Costs& costs)
        : scenario_(scenario), costs_(costs) {
        scenario_.duration_ns = std::min<std::uint64_t>(scenario.duration_ns, 20'000'000);
    }

    // What the PMU costs, in percent of the guests' time. Hardware would move the state at every
    // exit and every entry, fast ones included, and leave the exits that filters need.
    double cost(const Way& way, unsigned rate) {
        const lab::SimulationResult& result = played(way.policy, rate);
        double cycles = double(result.pmu_cycles());
        if (way.by_hardware) {
            cycles -= double(machine_moves(result) * costs_.register_move_cycles);
            cycles += double(2 * all_exits(result) * costs_.hardware_switch_cycles);
        }
        return 100 * cycles * 1000 / double(costs_.cpu_mhz) / double(result.guest_ns());
    }

    // The lowest rate at which it costs more than legacy; the costs grow with the rate.
    std::optional<unsigned> break_even(const Way& way) {
        const auto loses = [&](unsigned rate) { return cost(way, rate) > cost(ways[0], rate); };
        if (loses(0)) return 0;
        if (!loses(most_exits_per_ms)) return std::nullopt;
        unsigned wins_at = 0;
        unsigned loses_at = most_exits_per_ms;
        while (loses_at - wins_at > 1) {
            const unsigned middle = (wins_at + loses_at) / 2;
            (loses(middle) ? loses_at : wins_at) = middle;
        }
        return loses_at;
    }

  private:
    const lab::SimulationResult& played(Policy policy, unsigned rate) {
        const auto [found, fresh] = results_.try_emplace({policy, rate});
        if (!fresh) return found->second;
        for (auto& machine : scenario_.machines) {
            machine.policy = policy;
            machine.exits_per_ms = rate;
        }
        return found->second = lab::simulate(scenario_, costs_);
    }

    lab::Scenario scenario_;
    lab::Costs costs_;
    std::map<std::pair<Policy, unsigned>, lab::SimulationResult> results_;
};

}  // namespace

std::string lab_sweep(const lab::Scenario& scenario, const lab::Costs& costs) {
    Sweep sweep(scenario, costs);
    std::string text = "what the PMU costs, in % of the guests' time\n";
    text += fmt::format("{:<10}", "exits/ms");
    for (const Way& way : ways) text += fmt::format(" {:>14}", way.name);
    text += "\n";
    for (const unsigned rate : {0u, 1u, 3u, 10u, 30u, 100u, 300u, 1000u}) {
        text += fmt::format("{:<10}", rate);
        for (const Way& way : ways) text += fmt::format(" {:>14.2f}", sweep.cost(way, rate));
        text += "\n";
    }
    for (const Way& way : ways) {
        if (&way == &ways[0]) continue;  // legacy itself
        const auto rate = sweep.break_even(way);
        text +=
            rate ? fmt::format("{} costs more than legacy from {} exits/ms on\n", way.name, *rate)
                 : fmt::format("{} costs no more than legacy up to {} exits/ms\n", way.name,
                               most_exits_per_ms);
    }
    text += fmt::format(
        "hardware: mediated, with {} cycles for the state at every entry and exit instead of {} "
        "for "
        "each register (costs and their sources: data/lab/costs.csv)\n",
        costs.hardware_switch_cycles, costs.register_move_cycles);
    return text;
}

}  // namespace ringside::cli
