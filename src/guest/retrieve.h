// Puts files that a box sent where the user wants them. The archive comes from a machine in which
// anything may have run: no name in it can lead outside the place it was asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "guest/cpio.h"
#include "guest/files.h"

namespace ringside::guest {

// From a path in one machine to a path in the other.
struct Transfer {
    std::string from;
    std::string to;
};

// "SRC:DST"; splits at the last ':' so that SRC may hold one.
Result<Transfer> parse_transfer(std::string_view text);

// One archive for each transfer, in order. Into an existing directory a file keeps its name. Files
// and directories keep the rwx bits; links are made but never followed. Returns what was missing.
Result<std::vector<std::string>> retrieve(std::string_view archives,
                                          const std::vector<Transfer>& wanted);

}  // namespace ringside::guest
