// What belongs to the command: files that were built or installed with it.
#pragma once

#include <string>

#include <ringside/result.h>

namespace ringside::cli {

// The path of this command.
Result<std::string> own_program();

// The folder `name` that holds `file`: beside this command as built, or as installed.
Result<std::string> find_own_folder(const std::string& name, const std::string& file);

}  // namespace ringside::cli
