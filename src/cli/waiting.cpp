#include "cli/waiting.h"

#include <cerrno>
#include <vector>

#include <poll.h>
#include <sys/timerfd.h>

#include "base/fd.h"
#include "cli/wait_for_end.h"
#include "proc/task.h"

namespace ringside::cli {

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

}  // namespace

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
    const EndWatch signals;
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

}  // namespace ringside::cli
