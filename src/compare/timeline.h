// How a run of each side went on, as a figure. Pure.
#pragma once

#include "compare/run.h"
#include "model/timeline.h"

namespace ringside::compare {

// Of each side the run of middle length: what its threads did, then the first `most_events` of its
// counts that are not 0 throughout. Without panels if no run was long enough to be read while it
// ran.
model::TimelineFigure chart_timeline(const std::vector<Side>& sides, std::size_t most_events = 3);

}  // namespace ringside::compare
