// The stacks of all sides as flame graphs: one for each sampled event. Pure.
#pragma once

#include <vector>

#include "compare/names.h"
#include "run/run.h"

namespace ringside::compare {

// A series for each side: the mean over its runs. Functions join under the names that the table
// gives them. Events without a stack on any side are left out; of the others at most `most` places
// are kept, the heaviest.
std::vector<model::FlameFigure> join_flames(const std::vector<run::Side>& sides, std::size_t most,
                                            const NameRules& rules = NameRules::built_in());

}  // namespace ringside::compare
