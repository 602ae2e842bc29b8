// What spoils a comparison, said beside it. Pure.
#pragma once

#include <string>
#include <vector>

#include "run/run.h"

namespace ringside::compare {

// Sentences: different results first, then what is emulated, stolen, lost, multiplexed or of
// another make on the sides.
std::vector<std::string> find_warnings(const std::vector<run::Side>& sides);

}  // namespace ringside::compare
