#include "perf/user_read.h"

namespace ringside::perf {

namespace {

// linux/perf_event.h, "cap_user_time": how long ago the page was written. Where the counter is
// narrower than 64 bits (cap_user_time_short) only the time since then is to be trusted.
std::uint64_t ns_since_update(ControlPage& page) {
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

}  // namespace

std::optional<Count> read_user_timed(ControlPage& page) {
    if (page.cap_user_time == 0) return std::nullopt;
    Count count;
    std::uint32_t sequence = 0;
    do {
        sequence = page.lock;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        const std::uint64_t since_ns = ns_since_update(page);
        count.enabled_ns = page.time_enabled + since_ns;
        count.running_ns = page.time_running + since_ns;
        if (!read_user(page, count.value)) return std::nullopt;
        std::atomic_signal_fence(std::memory_order_seq_cst);
    } while (page.lock != sequence);
    return count;
}

}  // namespace ringside::perf
