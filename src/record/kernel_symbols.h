// The kernel's list of symbols, for the file: with it a recording can be read on another machine.
#pragma once

#include <string>

#include <ringside/result.h>

#include "base/sys_root.h"

namespace ringside::record {

// /proc/kallsyms, compressed (zstd). Reading it takes the kernel tens of milliseconds, so it is
// kept in `cache_folder` until the next boot or until a module comes or goes; empty: keep nothing.
Result<std::string> compressed_kallsyms(const base::SysRoot& root, const std::string& cache_folder);

// "~/.cache/ringside", or what XDG_CACHE_HOME says; empty without a home.
std::string cache_folder();

}  // namespace ringside::record
