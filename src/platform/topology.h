// The processors as this kernel sees them; inside a guest that is what the VMM made up.
#pragma once

#include <vector>

#include "base/sys_root.h"
#include "platform/fact.h"

namespace ringside::platform {

// Counts are over the CPUs that are online.
struct Topology {
    Fact<int> sockets;
    Fact<int> cores;
    Fact<int> threads;
    Fact<int> numa_nodes;
    std::vector<int> online;
    std::vector<int> present;
    std::vector<int> possible;
};

Topology read_topology(const base::SysRoot& root);

}  // namespace ringside::platform
