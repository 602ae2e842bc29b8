// Reading a counter without the kernel: RDPMC on x86, the PMU's own registers on arm64.
#pragma once

#include <cstdint>
#include <optional>

#include <linux/perf_event.h>

#include "perf/event_fd.h"

namespace ringside::perf {

// The event's count so far, or nullopt when the kernel does not lend the register right now (no
// permission, no counter assigned, or the event is not on this CPU): then use EventFd::read().
// The instruction may still fault where a kernel or hypervisor lies about its permission (SIGSEGV
// on x86, SIGILL on arm64): probe in a process of its own before relying on it.
std::optional<std::uint64_t> read_user(const volatile perf_event_mmap_page& page);

// The same with the times beside it, for events that take turns. Also nullopt when the page does
// not say how to turn the CPU's cycle counter into the kernel's time.
std::optional<Count> read_user_timed(const volatile perf_event_mmap_page& page);

}  // namespace ringside::perf
