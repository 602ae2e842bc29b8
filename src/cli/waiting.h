// Waiting while something is measured: for a process to end, for Ctrl-C, or for the next interval.
#pragma once

#include <chrono>
#include <functional>

#include <sys/types.h>

#include <ringside/result.h>

namespace ringside::cli {

using Tick = std::function<void()>;

// Until the child ends. Calls `tick` whenever `every` has passed since the last time it was due.
Result<void> tick_until_end(pid_t child, std::chrono::milliseconds every, const Tick& tick);

// Until the process ends (0: nobody's end is awaited), `limit` has passed (0: there is none), or
// somebody sends us SIGINT, SIGTERM or SIGHUP, which is taken. Ticks if `every` is not 0. Fails
// when there is no such process.
Result<void> wait_until_stopped(pid_t process, std::chrono::milliseconds every = {},
                                const Tick& tick = {}, std::chrono::milliseconds limit = {});

}  // namespace ringside::cli
