// The clocks that need no state: real time, CPU time, and the counter behind both.
#include <chrono>

#include <linux/perf_event.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <ringside/clocks.h>

#include "base/clock.h"
#include "model/event.h"
#include "perf/event_fd.h"
#include "perf/ring_buffer.h"
#include "platform/machine.h"

namespace ringside {

namespace {

using base::now_ns;

// The kernel publishes how it turns cycles into nanoseconds: ns = cycles * mult >> shift
// (linux/perf_event.h, cap_user_time).
[[maybe_unused]] std::optional<double> rate_by_kernel() {
    model::Event event;
    event.name = "dummy:u";
    event.code = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, 0};
    event.exclude.kernel = event.exclude.hypervisor = true;
    const auto opened = perf::EventFd::open(event, {});
    if (!opened) return std::nullopt;
    const auto mapped = perf::RingBuffer::map(*opened, 0);
    if (!mapped) return std::nullopt;
    const auto& page = mapped->control();
    if (page.cap_user_time == 0 || page.time_mult == 0) return std::nullopt;
    return 1e9 * static_cast<double>(1ull << page.time_shift) / static_cast<double>(page.time_mult);
}

[[maybe_unused]] double rate_by_measuring() {
    constexpr std::uint64_t span_ns = 20'000'000;
    const std::uint64_t start_ns = now_ns(CLOCK_MONOTONIC_RAW);
    const std::uint64_t start = cycles();
    std::uint64_t end_ns = start_ns;
    while (end_ns - start_ns < span_ns) end_ns = now_ns(CLOCK_MONOTONIC_RAW);
    return static_cast<double>(cycles() - start) * 1e9 / static_cast<double>(end_ns - start_ns);
}

}  // namespace

std::uint64_t real_ns() {
    return now_ns(CLOCK_MONOTONIC);
}

std::uint64_t thread_cpu_ns() {
    return now_ns(CLOCK_THREAD_CPUTIME_ID);
}

std::uint64_t process_cpu_ns() {
    return now_ns(CLOCK_PROCESS_CPUTIME_ID);
}

#if defined(__x86_64__)

std::uint64_t cycles() {
    return __rdtsc();
}

CycleRate cycle_rate() {
    if (const auto hz = rate_by_kernel()) return {*hz, "the kernel (perf)"};
    const auto advertised = platform::describe().clock.counter_hz;
    if (advertised.value) {
        return {static_cast<double>(*advertised.value), advertised.evidence.source};
    }
    return {rate_by_measuring(), "measured"};
}

#elif defined(__aarch64__)

std::uint64_t cycles() {
    std::uint64_t value = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
}

CycleRate cycle_rate() {
    std::uint64_t hz = 0;
    asm volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return {static_cast<double>(hz), "CNTFRQ_EL0"};
}

#else
#error "Ringside runs on x86-64 and arm64"
#endif

}  // namespace ringside
