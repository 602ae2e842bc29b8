// perf's task-clock over the threads of a subject: how long they held a CPU, steal included. The
// kernel keeps it for everyone; it starts and stops about half a microsecond inside of each switch.
#pragma once

#include <cstdint>
#include <vector>

#include <ringside/result.h>

#include "base/sys_root.h"
#include "clocks/threads.h"
#include "perf/event_fd.h"

namespace ringside::clocks {

class TaskClock {
  public:
    // From now on; on one CPU only if `cpu` >= 0. Fails where perf is not permitted.
    static Result<TaskClock> open(const base::SysRoot& root, const Subject& subject, int cpu = -1);

    Result<std::uint64_t> read_ns() const;

  private:
    std::vector<perf::EventFd> events_;  // one a thread that was there; they cover what it makes
};

}  // namespace ringside::clocks
