// What `ringside compare --csv` writes, read back: one file with all its sides. Pure.
#pragma once

#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "run/run.h"

namespace ringside::compare {

// By its header, which has a column NAME_values for each side.
bool looks_like_joined_table(std::string_view text);

// The sides with all their runs; their machines are not known any more. Names the line of a bad
// row.
Result<std::vector<run::Side>> parse_joined_table(std::string_view text);

}  // namespace ringside::compare
