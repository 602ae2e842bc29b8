// Waiting while something is measured: for processes to end, for Ctrl-C, or for the next interval.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include <signal.h>
#include <sys/types.h>

#include <ringside/result.h>

#include "base/fd.h"
#include "base/process.h"

namespace ringside::measure {

// While it lives, the signals that end a program end a wait instead, so that what was started is
// taken down in order. Make it before anything that must not be left half done, and before
// threads that do not block signals themselves.
class StopSignals {
  public:
    // What comes after the last wait ends us when it is let through again, or is dropped: then
    // what it would have stopped is over.
    enum class Late { ends_us, is_dropped };
    explicit StopSignals(Late late = Late::ends_us);
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    ~StopSignals();

    // Readable once one came.
    int fd() const { return fd_.get(); }
    // The signal that came, which is taken; or 0.
    int taken() const;

  private:
    Late late_;
    base::Fd fd_;
    sigset_t before_{};
};

// For whom a measurement of what runs already waits.
struct Awaited {
    std::vector<int> processes{};
    std::vector<int> threads{};
};

// Until all of them have ended, or a signal came; without any, until a signal came.
Result<void> wait_for_end(const StopSignals& stop, const Awaited& awaited);

// Until it ends. A signal that came is handed on to it, and the error is `interrupted`.
Result<base::ExitStatus> await_child(base::Child& child, const StopSignals& stop);

using Tick = std::function<void()>;

// Until the child ends. Calls `tick` whenever `every` has passed since the last time it was due.
Result<void> tick_until_end(pid_t child, std::chrono::milliseconds every, const Tick& tick);

// Until the process ends (0: nobody's end is awaited), `limit` has passed (0: there is none), or
// somebody sends us SIGINT, SIGTERM or SIGHUP, which is taken. Ticks if `every` is not 0. Fails
// when there is no such process.
Result<void> wait_until_stopped(pid_t process, std::chrono::milliseconds every = {},
                                const Tick& tick = {}, std::chrono::milliseconds limit = {});

}  // namespace ringside::measure
