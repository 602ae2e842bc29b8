// Waiting for processes that are not our children, or for whoever interrupts us.
#pragma once

#include <vector>

#include <signal.h>

#include <ringside/result.h>

#include "base/fd.h"

namespace ringside::cli {

// While it lives, Ctrl-C and SIGTERM do not end us but a wait. Make it before anything that must
// not be left half done.
class EndWatch {
  public:
    EndWatch();
    EndWatch(const EndWatch&) = delete;
    EndWatch& operator=(const EndWatch&) = delete;
    ~EndWatch();

    // Until all of these have ended, or we are interrupted; without any, until we are interrupted.
    Result<void> wait(const std::vector<int>& pids, const std::vector<int>& tids = {}) const;

    // Readable once we are interrupted.
    int fd() const { return signals_.get(); }

  private:
    bool interrupted(int limit_ms) const;

    sigset_t before_{};
    base::Fd signals_;
};

}  // namespace ringside::cli
