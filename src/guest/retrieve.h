// Puts files that a box sent where the user wants them, as src/incoming lets it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "guest/files.h"
#include "incoming/landing.h"

namespace ringside::guest {

// From a path in one machine to a path in the other.
struct Transfer {
    std::string from;
    std::string to;
};

// "SRC:DST"; splits at the last ':' so that SRC may hold one.
Result<Transfer> parse_transfer(std::string_view text);

// One archive for each transfer, in order. Into an existing directory a file keeps its name. The
// limits are for each transfer. Returns what was missing.
Result<std::vector<std::string>> retrieve(std::string_view archives,
                                          const std::vector<Transfer>& wanted,
                                          const incoming::Limits& limits = {});

}  // namespace ringside::guest
