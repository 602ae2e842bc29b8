#include "papi/overflow_timer.h"

#include <cerrno>
#include <csignal>
#include <cstdint>

#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "papi/set.h"

namespace ringside::papi {

namespace {

std::uintptr_t program_counter(const ucontext_t& context) {
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return context.uc_mcontext.pc;
#else
    return 0;
#endif
}

void on_timer(int, siginfo_t* info, void* context) {
    // Others may use the same signal; only a timer carries the set.
    if (info->si_code != SI_TIMER || info->si_value.sival_ptr == nullptr) return;
    const int kept_errno = errno;
    auto& set = *static_cast<Set*>(info->si_value.sival_ptr);
    set.look_for_overflow(program_counter(*static_cast<ucontext_t*>(context)), context);
    errno = kept_errno;
}

clockid_t clock_of(int number) {
    return number == ITIMER_REAL ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
}

}  // namespace

int OverflowTimer::start(Set& set, int number, int signal, int ns) {
    struct sigaction action {};
    action.sa_sigaction = on_timer;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    if (::sigaction(signal, &action, nullptr) != 0) return PAPI_ESYS;
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = signal;
    event.sigev_value.sival_ptr = &set;
    event._sigev_un._tid = static_cast<pid_t>(::syscall(SYS_gettid));
    if (::timer_create(clock_of(number), &event, &timer_) != 0) return PAPI_ESYS;
    running_ = true;
    const timespec interval{ns / 1'000'000'000, ns % 1'000'000'000};
    const itimerspec setting{interval, interval};
    if (::timer_settime(timer_, 0, &setting, nullptr) != 0) {
        stop();
        return PAPI_ESYS;
    }
    return PAPI_OK;
}

// The handler stays installed: a signal that is on its way would end the program without it.
void OverflowTimer::stop() {
    if (running_) ::timer_delete(timer_);
    running_ = false;
}

}  // namespace ringside::papi
