// What `ringside lab` says of a run: as text, as JSON, and as a timeline for a viewer.
#pragma once

#include <string>

#include "lab/simulation.h"
#include "lab/sweep.h"
#include "report/style.h"

namespace ringside::report {

std::string lab_text(const lab::Scenario& scenario, const lab::SimulationResult& result,
                     const lab::Costs& costs, const Style& style);
std::string lab_json(const lab::Scenario& scenario, const lab::SimulationResult& result,
                     const lab::Costs& costs);
std::string lab_sweep_text(const lab::SweepResult& sweep, const lab::Costs& costs);
// Chrome's trace-event format ("JSON Object Format"), which Perfetto and the Firefox Profiler open.
std::string lab_trace(const lab::Scenario& scenario, const lab::Timeline& timeline);

}  // namespace ringside::report
