// Between its making and its end, the signals that end a program make a descriptor readable
// instead, so that what was started is taken down in order.
#pragma once

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/fd.h"

namespace ringside::cli {

class StopSignals {
  public:
    StopSignals() {
        sigset_t set;
        ::sigemptyset(&set);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) {
            ::sigaddset(&set, signal);
        }
        ::sigprocmask(SIG_BLOCK, &set, &old_);
        fd_ = base::Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    }
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    ~StopSignals() { ::sigprocmask(SIG_SETMASK, &old_, nullptr); }

    int fd() const { return fd_.get(); }
    // The signal that came, or 0.
    int taken() const {
        signalfd_siginfo info{};
        const bool got = ::read(fd_.get(), &info, sizeof info) == sizeof info;
        return got ? static_cast<int>(info.ssi_signo) : 0;
    }

  private:
    base::Fd fd_;
    sigset_t old_{};
};

}  // namespace ringside::cli
