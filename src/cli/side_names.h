// What the sides of a comparison are called.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "run/run.h"

namespace ringside::cli {

// `names` are as --series has them, comma-separated; empty if it was not given. Fails if there
// are not as many as `sides`.
Result<void> check_names(const std::string& names, std::size_t sides);

// Gives them these names, and no two the same: those could not be told apart in a table.
Result<void> name_sides(const std::string& names, std::vector<run::Side>& sides);

}  // namespace ringside::cli
