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

constexpr bool have_registers = true;

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

constexpr bool have_registers = true;

#else

std::uint64_t read_register(std::uint32_t) {
    return 0;
}

constexpr bool have_registers = false;

#endif

std::uint64_t sign_extend(std::uint64_t value, unsigned width) {
    if (width == 0 || width >= 64) return value;
    const unsigned unused = 64 - width;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

}  // namespace

std::optional<std::uint64_t> read_user(const volatile perf_event_mmap_page& page) {
    if (!have_registers) return std::nullopt;
    while (true) {
        const std::uint32_t sequence = page.lock;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        const std::uint32_t index = page.index;
        // arm64 leaves cap_user_rdpmc at 1 with user access off; the index is what tells.
        if (page.cap_user_rdpmc == 0 || index == 0) return std::nullopt;
        const auto offset = static_cast<std::uint64_t>(page.offset);
        const std::uint64_t count = offset + sign_extend(read_register(index - 1), page.pmc_width);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (page.lock == sequence) return count;
    }
}

}  // namespace ringside::perf
