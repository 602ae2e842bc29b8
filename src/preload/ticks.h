// Time stamps around calls. The CPU's own counter costs a third of clock_gettime() through the
// vDSO, which matters beside a 4 KiB read from the page cache; the reader of the table turns ticks
// into nanoseconds.
#pragma once

#include <ctime>

#include "preload/state.h"

namespace ringside::preload {

inline io_word monotonic_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<io_word>(now.tv_sec) * 1'000'000'000u + static_cast<io_word>(now.tv_nsec);
}

inline io_word cpu_ticks() {
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    io_word ticks;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return monotonic_ns();
#endif
}

inline io_word now() {
    return __builtin_expect(state.ticks, 1) ? cpu_ticks() : monotonic_ns();
}

// Counters of two CPUs may differ by a little, and a thread may move between two stamps.
inline io_word since(io_word before) {
    const io_word after = now();
    return after > before ? after - before : 0;
}

// The counter runs at one rate on all CPUs.
bool ticks_are_constant();

}  // namespace ringside::preload
