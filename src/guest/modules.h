// Which kernel modules to load, and in what order. Packages carry no modules.dep (depmod makes it
// when a kernel is installed, and ours never is), so the modules themselves are asked.
#pragma once

#include <string>
#include <vector>

#include <ringside/result.h>

#include "guest/files.h"

namespace ringside::guest {

// Paths below `root` of `wanted` and all they need, each after what it needs. Modules that are
// built into the kernel are left out. `release` is the kernel's, as in /lib/modules/RELEASE.
Result<std::vector<fs::path>> modules_in_load_order(const fs::path& root,
                                                    const std::string& release,
                                                    const std::vector<std::string>& wanted);

}  // namespace ringside::guest
