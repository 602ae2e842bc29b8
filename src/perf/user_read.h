// Reading a counter without the kernel: RDPMC on x86, the PMU's own registers on arm64.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include <linux/perf_event.h>

#include "perf/event_fd.h"
#include "perf/registers.h"

namespace ringside::perf {

using ControlPage = volatile const perf_event_mmap_page;

// How many of a register's upper bits do not count. The same as long as the page is mapped.
inline unsigned unused_bits(ControlPage& page) {
    return (64u - page.pmc_width) & 63u;
}

// The event's count so far. False when the kernel does not lend the register right now (no
// permission, no counter assigned, or the event is not on this CPU): then ask the kernel.
// The instruction may still fault where a kernel or hypervisor lies about its permission (SIGSEGV
// on x86, SIGILL on arm64): probe in a process of its own before relying on it.
inline bool read_user(ControlPage& page, unsigned unused_bits, std::uint64_t& count) {
    std::uint32_t sequence = 0;
    do {
        sequence = page.lock;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        // Tells more than cap_user_rdpmc, which arm64 leaves at 1 with user access off.
        const std::uint32_t number = page.index - 1;
        if (!is_register(number)) return false;
        const std::uint64_t offset = static_cast<std::uint64_t>(page.offset);
        const std::uint64_t value = read_register(number) << unused_bits;
        count =
            offset + static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> unused_bits);
        std::atomic_signal_fence(std::memory_order_seq_cst);
    } while (page.lock != sequence);
    return true;
}

inline bool read_user(ControlPage& page, std::uint64_t& count) {
    return read_user(page, unused_bits(page), count);
}

// The same with the times beside it, for events that take turns. nullopt as above, or when the page
// does not say how to turn the CPU's cycle counter into the kernel's time.
std::optional<Count> read_user_timed(ControlPage& page);

}  // namespace ringside::perf
