// The operator's question: at which exit rate does mediation cost more than it saves?
#pragma once

#include <string>

#include "lab/simulation.h"

namespace ringside::cli {

std::string lab_sweep(const lab::Scenario& scenario, const lab::Costs& costs);

}  // namespace ringside::cli
