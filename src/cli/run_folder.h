// A folder of `ringside measure` (measurer.h), read back.
#pragma once

#include <string>

#include <ringside/result.h>

#include "compare/run.h"

namespace ringside::cli {

// One side, with the runs that were finished.
Result<compare::Side> read_run_folder(const std::string& folder);

}  // namespace ringside::cli
