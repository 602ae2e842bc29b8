// How this program was called, for files that say how they were made.
#pragma once

#include <string>
#include <vector>

#include "base/sys_root.h"

namespace ringside::cli {

// Empty where /proc is not readable.
std::vector<std::string> own_command_line(const base::SysRoot& root);

}  // namespace ringside::cli
