// Reading what was counted elsewhere: the tables that preloaded processes leave in a folder.
#pragma once

#include <string>

#include <ringside/result.h>

#include "model/io.h"

namespace ringside::components::io {

// One table for each program that a process executed. Files that are not whole tables are skipped:
// a process may have been killed while it made one.
Result<model::IoRecord> read_tables(const std::string& folder);

}  // namespace ringside::components::io
