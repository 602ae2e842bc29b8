#include "cli/wait_for_end.h"

#include <algorithm>
#include <cerrno>

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proc/task.h"

namespace ringside::cli {

namespace {

// Threads have no descriptor to wait on before Linux 6.9: they are looked at this often.
constexpr int look_every_ms = 50;

bool is_gone(int tid) {
    return ::syscall(SYS_tkill, tid, 0) != 0 && errno == ESRCH;
}

}  // namespace

EndWatch::EndWatch() {
    sigset_t stops;
    ::sigemptyset(&stops);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&stops, signal);
    ::pthread_sigmask(SIG_BLOCK, &stops, &before_);
    signals_ = base::Fd(::signalfd(-1, &stops, SFD_CLOEXEC | SFD_NONBLOCK));
}

EndWatch::~EndWatch() {
    interrupted(0);  // what came late would end us when it is let through again
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool EndWatch::interrupted(int limit_ms) const {
    pollfd wait{signals_.get(), POLLIN, 0};
    if (::poll(&wait, 1, limit_ms) <= 0) return false;
    signalfd_siginfo taken{};
    return ::read(signals_.get(), &taken, sizeof taken) == static_cast<ssize_t>(sizeof taken);
}

Result<void> EndWatch::wait(const std::vector<int>& pids, const std::vector<int>& tids) const {
    std::vector<base::Fd> processes;
    for (const int pid : pids) {
        auto process = proc::open_pidfd(pid);
        if (!process) return process.error();
        processes.push_back(std::move(*process));
    }
    for (const auto& process : processes) {
        pollfd waits[2] = {{process.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}};
        while (::poll(waits, 2, -1) < 0 && errno == EINTR) {
        }
        if (waits[1].revents != 0 && interrupted(0)) return {};
    }
    if (!pids.empty() && tids.empty()) return {};
    if (tids.empty()) {
        while (!interrupted(-1)) {
        }
        return {};
    }
    while (!std::all_of(tids.begin(), tids.end(), is_gone))
        if (interrupted(look_every_ms)) return {};
    return {};
}

}  // namespace ringside::cli
