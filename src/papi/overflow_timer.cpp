#include "papi/overflow_timer.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "papi/library.h"
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

// What a signal carries: the set's handle, and which start of a timer it comes from. One that was
// pending when its timer stopped finds another number there, whatever became of the set.
constexpr unsigned handle_bits = 20;
constexpr std::uintptr_t handle_mask = (std::uintptr_t{1} << handle_bits) - 1;

void on_timer(int, siginfo_t* info, void* context) {
    // Others may use the same signal; only a timer carries a set.
    if (info->si_code != SI_TIMER || info->si_value.sival_ptr == nullptr) return;
    const int kept_errno = errno;
    const auto carried = reinterpret_cast<std::uintptr_t>(info->si_value.sival_ptr);
    Set* set = library().sets.slot(static_cast<int>(carried & handle_mask));
    if (set != nullptr && set->timer_number() == carried >> handle_bits) {
        set->look_for_overflow(program_counter(*static_cast<ucontext_t*>(context)), context);
    }
    errno = kept_errno;
}

// Not 0, which is that of no timer. It comes again after 2^44 starts.
std::uintptr_t next_number() {
    static std::atomic<std::uintptr_t> last{0};
    const std::uintptr_t number = last.fetch_add(1) + 1;
    return number & (~std::uintptr_t{0} >> handle_bits);
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
    const std::uintptr_t number_of_start = next_number();
    const std::uintptr_t carried =
        number_of_start << handle_bits | static_cast<std::uintptr_t>(set.handle());
    event.sigev_value.sival_ptr =
        reinterpret_cast<void*>(carried);  // NOLINT(performance-no-int-to-ptr)
    event._sigev_un._tid = static_cast<pid_t>(::syscall(SYS_gettid));
    if (::timer_create(clock_of(number), &event, &timer_) != 0) return PAPI_ESYS;
    number_ = number_of_start;
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
    if (number_ != 0) ::timer_delete(timer_);
    number_ = 0;
}

}  // namespace ringside::papi
