// The lists of CPUs and NUMA nodes that the kernel keeps in /sys.
#pragma once

#include <string>
#include <vector>

#include <ringside/result.h>

#include "base/sys_root.h"

namespace ringside::proc {

constexpr const char* online_cpus_path = "/sys/devices/system/cpu/online";

// The members of a file like that one, in the order in which they stand there. Fails when it holds
// no list, or an empty one.
Result<std::vector<int>> read_cpu_list(const base::SysRoot& root, const std::string& path);

Result<std::vector<int>> online_cpus(const base::SysRoot& root);

}  // namespace ringside::proc
