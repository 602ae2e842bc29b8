// Switches the counting of a machine off and on while it runs, and waits until it did so.
#pragma once

#include <string>

#include <ringside/result.h>

#include "soft/count_file.h"

namespace ringside::soft {

// The file as it is then. Fails if the machine has ended, or does not look for 10 s.
Result<CountFile> switch_machine(const std::string& path, bool off);

}  // namespace ringside::soft
