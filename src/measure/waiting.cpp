#include "measure/waiting.h"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "proc/task.h"

namespace ringside::measure {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Readable once `limit` has passed.
base::Fd alarm_after(milliseconds limit) {
    base::Fd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
    itimerspec when{};
    when.it_value.tv_sec = limit.count() / 1000;
    when.it_value.tv_nsec = limit.count() % 1000 * 1'000'000;
    ::timerfd_settime(timer.get(), 0, &when, nullptr);
    return timer;
}

int wait_ms(Clock::time_point due) {
    const auto left = std::chrono::ceil<milliseconds>(due - Clock::now()).count();
    return left > 0 ? static_cast<int>(left) : 0;
}

// Until one of the descriptors can be read.
void tick_until_readable(std::vector<pollfd> fds, milliseconds every, const Tick& tick) {
    auto due = Clock::now() + every;
    while (true) {
        const int ready = ::poll(fds.data(), fds.size(), every.count() > 0 ? wait_ms(due) : -1);
        if (ready > 0 || (ready < 0 && errno != EINTR)) return;
        if (every.count() == 0 || Clock::now() < due) continue;
        tick();
        // What was missed while the machine was busy is not made up for.
        while (due <= Clock::now()) due += every;
    }
}

// Threads have no descriptor to wait on before Linux 6.9: they are looked at this often.
constexpr int look_every_ms = 50;

bool is_gone(int tid) {
    return ::syscall(SYS_tkill, tid, 0) != 0 && errno == ESRCH;
}

// One of them can be read, or `limit_ms` has passed (-1: no limit).
void wait_for(std::vector<pollfd>& fds, int limit_ms) {
    while (::poll(fds.data(), fds.size(), limit_ms) < 0 && errno == EINTR) {
    }
}

// Whether a signal came before all of them had ended.
Result<bool> processes_end(const StopSignals& stop, const std::vector<int>& pids) {
    std::vector<base::Fd> processes;
    for (const int pid : pids) {
        auto process = proc::open_pidfd(pid);
        if (!process) return process.error();
        processes.push_back(std::move(*process));
    }
    for (const auto& process : processes) {
        std::vector<pollfd> fds{{process.get(), POLLIN, 0}, {stop.fd(), POLLIN, 0}};
        wait_for(fds, -1);
        if (fds[1].revents != 0 && stop.taken() != 0) return true;
    }
    return false;
}

}  // namespace

StopSignals::StopSignals(Late late) : late_(late) {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, signal);
    if (late == Late::ends_us) {
        for (const int signal : {SIGQUIT, SIGPIPE}) ::sigaddset(&set, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &set, &before_);
    fd_ = base::Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

StopSignals::~StopSignals() {
    if (late_ == Late::is_dropped) {
        while (taken() != 0) {
        }
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int StopSignals::taken() const {
    signalfd_siginfo info{};
    const bool got = ::read(fd_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info);
    return got ? static_cast<int>(info.ssi_signo) : 0;
}

Result<void> wait_for_end(const StopSignals& stop, const Awaited& awaited) {
    const auto stopped = processes_end(stop, awaited.processes);
    if (!stopped) return stopped.error();
    if (*stopped || (!awaited.processes.empty() && awaited.threads.empty())) return {};
    const auto& tids = awaited.threads;
    while (tids.empty() || !std::all_of(tids.begin(), tids.end(), is_gone)) {
        std::vector<pollfd> fds{{stop.fd(), POLLIN, 0}};
        wait_for(fds, tids.empty() ? -1 : look_every_ms);
        if (stop.taken() != 0) return {};
    }
    return {};
}

Result<base::ExitStatus> await_child(base::Child& child, const StopSignals& stop) {
    const auto process = proc::open_pidfd(child.pid());
    if (!process) return process.error();
    int signal = 0;
    while (true) {
        std::vector<pollfd> fds{{process->get(), POLLIN, 0}, {stop.fd(), POLLIN, 0}};
        wait_for(fds, -1);
        if (fds[0].revents != 0) break;
        signal = stop.taken();
        child.send_signal(signal);
    }
    auto status = child.wait();
    if (signal == 0) signal = stop.taken();  // both came at once
    if (signal == 0) return status;
    Error error = base::fail(ErrorCode::interrupted, "stopped");
    error.sys_errno = signal;
    return error;
}

Result<void> tick_until_end(pid_t child, milliseconds every, const Tick& tick) {
    const auto process = proc::open_pidfd(child);
    if (!process) return process.error();
    tick_until_readable({{process->get(), POLLIN, 0}}, every, tick);
    return {};
}

Result<void> wait_until_stopped(pid_t process, milliseconds every, const Tick& tick,
                                milliseconds limit) {
    base::Fd end;
    if (process != 0) {
        auto watched = proc::open_pidfd(process);
        if (!watched) return watched.error();
        end = std::move(*watched);
    }
    const StopSignals signals(StopSignals::Late::is_dropped);
    std::vector<pollfd> fds{{signals.fd(), POLLIN, 0}};
    if (end) fds.push_back({end.get(), POLLIN, 0});
    base::Fd timer;
    if (limit.count() > 0) {
        timer = alarm_after(limit);
        fds.push_back({timer.get(), POLLIN, 0});
    }
    tick_until_readable(std::move(fds), every, tick);
    return {};
}

}  // namespace ringside::measure
