// What belongs to the program that runs: files that were built or installed with it.
#pragma once

#include <string>

#include <ringside/result.h>

namespace ringside::base {

// Its path.
Result<std::string> own_program();

// The folder `name` that holds `file`: beside it as built, or as installed.
Result<std::string> find_own_folder(const std::string& name, const std::string& file);

}  // namespace ringside::base
