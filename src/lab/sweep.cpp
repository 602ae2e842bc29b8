#include "lab/sweep.h"

#include <algorithm>
#include <map>

namespace ringside::lab {

namespace {

using vpmu::Policy;

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

std::uint64_t all_exits(const SimulationResult& result) {
    std::uint64_t exits = 0;
    for (const auto& machine : result.machines) exits += machine.exits.all();
    return exits;
}

std::uint64_t machine_moves(const SimulationResult& result) {
    std::uint64_t moves = 0;
    for (const auto& machine : result.machines) moves += machine.register_moves;
    return moves;
}

class Sweep {
  public:
    Sweep(const Scenario& scenario, const Costs& costs) : scenario_(scenario), costs_(costs) {
        scenario_.duration_ns = std::min<std::uint64_t>(scenario.duration_ns, 20'000'000);
    }

    // What the PMU costs, in percent of the guests' time. Hardware would move the state at every
    // exit and every entry, fast ones included, and leave the exits that filters need.
    double cost(const Way& way, unsigned rate) {
        const SimulationResult& result = played(way.policy, rate);
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
    const SimulationResult& played(Policy policy, unsigned rate) {
        const auto [found, fresh] = results_.try_emplace({policy, rate});
        if (!fresh) return found->second;
        for (auto& machine : scenario_.machines) {
            machine.policy = policy;
            machine.exits_per_ms = rate;
        }
        return found->second = simulate(scenario_, costs_);
    }

    Scenario scenario_;
    Costs costs_;
    std::map<std::pair<Policy, unsigned>, SimulationResult> results_;
};

}  // namespace

SweepResult sweep(const Scenario& scenario, const Costs& costs) {
    Sweep played(scenario, costs);
    SweepResult result;
    for (const Way& way : ways) result.ways.push_back({way.name, {}, {}});
    for (const unsigned rate : swept_rates) {
        for (std::size_t i = 0; i < result.ways.size(); ++i)
            result.ways[i].cost_percent.push_back(played.cost(ways[i], rate));
    }
    // That of legacy itself, the first, stays empty.
    for (std::size_t i = 1; i < result.ways.size(); ++i) {
        result.ways[i].break_even = played.break_even(ways[i]);
    }
    return result;
}

}  // namespace ringside::lab
