// For the lab's tests: the scenarios that come along, played.
#pragma once

#include "base/embedded.h"
#include "lab/simulation.h"

namespace ringside::lab {

inline Scenario embedded_scenario(const std::string& name) {
    const auto text = base::embedded_file("lab/" + name + ".toml");
    return parse_scenario(text.value_or(""), name).value();
}

inline SimulationResult played(const std::string& name, const char* policy = nullptr) {
    Scenario scenario = embedded_scenario(name);
    if (policy != nullptr) (void)choose_policy(scenario, policy);
    return simulate(scenario, read_costs());
}

}  // namespace ringside::lab
