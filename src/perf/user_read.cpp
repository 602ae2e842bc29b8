#include "perf/user_read.h"

#include <atomic>

namespace ringside::perf {

namespace {

#if defined(__x86_64__)

std::uint64_t read_register(std::uint32_t index) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
    return low | static_cast<std::uint64_t>(high) << 32;
}

std::uint64_t read_cycles() {
    return __builtin_ia32_rdtsc();
}

#elif defined(__aarch64__)

// The kernel numbers the cycle counter 31 (index 32 in the page) and event counters from 0.
std::uint64_t read_register(std::uint32_t index) {
    std::uint64_t value = 0;
    asm volatile("isb");
    if (index == 31) {
        asm volatile("mrs %0, pmccntr_el0" : "=r"(value));
        return value;
    }
    // PMXEVCNTR_EL0 needs PMSELR_EL0, which a context switch could change under us; the numbered
    // registers do not.
#define RINGSIDE_COUNTER(n)                                       \
    case n:                                                       \
        asm volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value)); \
        break;
    switch (index) {
        RINGSIDE_COUNTER(0)
        RINGSIDE_COUNTER(1)
        RINGSIDE_COUNTER(2)
        RINGSIDE_COUNTER(3)
        RINGSIDE_COUNTER(4)
        RINGSIDE_COUNTER(5)
        RINGSIDE_COUNTER(6)
        RINGSIDE_COUNTER(7)
        RINGSIDE_COUNTER(8)
        RINGSIDE_COUNTER(9)
        RINGSIDE_COUNTER(10)
        RINGSIDE_COUNTER(11)
        RINGSIDE_COUNTER(12)
        RINGSIDE_COUNTER(13)
        RINGSIDE_COUNTER(14)
        RINGSIDE_COUNTER(15)
        RINGSIDE_COUNTER(16)
        RINGSIDE_COUNTER(17)
        RINGSIDE_COUNTER(18)
        RINGSIDE_COUNTER(19)
        RINGSIDE_COUNTER(20)
        RINGSIDE_COUNTER(21)
        RINGSIDE_COUNTER(22)
        RINGSIDE_COUNTER(23)
        RINGSIDE_COUNTER(24)
        RINGSIDE_COUNTER(25)
        RINGSIDE_COUNTER(26)
        RINGSIDE_COUNTER(27)
        RINGSIDE_COUNTER(28)
        RINGSIDE_COUNTER(29)
        RINGSIDE_COUNTER(30)
        default:
            break;
    }
#undef RINGSIDE_COUNTER
    return value;
}

std::uint64_t read_cycles() {
    std::uint64_t value = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
}

#else
#error "Ringside runs on x86-64 and arm64"
#endif

std::uint64_t sign_extend(std::uint64_t value, unsigned width) {
    if (width == 0 || width >= 64) return value;
    const unsigned unused = 64 - width;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

// linux/perf_event.h, "cap_user_time": how long ago the page was written. Where the counter is
// narrower than 64 bits (cap_user_time_short) only the time since then is to be trusted.
std::uint64_t ns_since_update(const volatile perf_event_mmap_page& page) {
    std::uint64_t cycles = read_cycles();
    if (page.cap_user_time_short != 0) {
        cycles = page.time_cycles + ((cycles - page.time_cycles) & page.time_mask);
    }
    const std::uint16_t shift = page.time_shift;
    const std::uint64_t mult = page.time_mult;
    const std::uint64_t whole = cycles >> shift;
    const std::uint64_t rest = cycles & ((std::uint64_t{1} << shift) - 1);
    return page.time_offset + whole * mult + ((rest * mult) >> shift);
}

// Calls `read` until the kernel did not write meanwhile. It gets the register's index, from 0; the
// answer is nullopt when there is none.
template <typename T, typename Read>
inline std::optional<T> read_consistently(const volatile perf_event_mmap_page& page, Read&& read) {
    while (true) {
        const std::uint32_t sequence = page.lock;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        const std::uint32_t index = page.index;
        // arm64 leaves cap_user_rdpmc at 1 with user access off; the index is what tells.
        if (page.cap_user_rdpmc == 0 || index == 0) return std::nullopt;
        const T value = read(index - 1);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (page.lock == sequence) return value;
    }
}

inline std::uint64_t count_now(const volatile perf_event_mmap_page& page, std::uint32_t index) {
    return static_cast<std::uint64_t>(page.offset) +
           sign_extend(read_register(index), page.pmc_width);
}

}  // namespace

std::optional<std::uint64_t> read_user(const volatile perf_event_mmap_page& page) {
    return read_consistently<std::uint64_t>(
        page, [&](std::uint32_t index) { return count_now(page, index); });
}

std::optional<Count> read_user_timed(const volatile perf_event_mmap_page& page) {
    if (page.cap_user_time == 0) return std::nullopt;
    return read_consistently<Count>(page, [&](std::uint32_t index) {
        const std::uint64_t since_ns = ns_since_update(page);
        return Count{count_now(page, index), page.time_enabled + since_ns,
                     page.time_running + since_ns};
    });
}

}  // namespace ringside::perf
