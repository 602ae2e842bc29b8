// Where a set counts: the threads or CPUs that its target stands for right now.
#pragma once

#include <vector>

#include <ringside/event_set.h>

#include "base/fd.h"
#include "base/sys_root.h"
#include "perf/group.h"

namespace ringside::components::cpu {

struct Places {
    std::vector<perf::Target> targets;
    perf::GroupOptions options;  // inheritance and the start at exec
    base::Fd cgroup;             // held open while events are opened
    bool cpu_wide = false;
    bool may_vanish = false;  // a thread that ended or a CPU that went away is left out
    bool own_thread = false;  // the calling thread and nobody else
};

// Fails when there is no such process, CPU or cgroup.
Result<Places> find_places(const base::SysRoot& root, const SetOptions& options);

}  // namespace ringside::components::cpu
