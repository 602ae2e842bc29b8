// Which scenarios make sense: machines that this host cannot keep its promise to are refused.
#pragma once

#include <optional>

#include "lab/scenario.h"

namespace ringside::lab {

// Nothing if the architecture has the event.
std::optional<std::string> why_not(vpmu::Architecture architecture, EventName event);
// Nothing if `machine` can run on the scenario's hosts.
std::optional<std::string> why_not(const Scenario& scenario, const MachinePlan& machine);

}  // namespace ringside::lab
