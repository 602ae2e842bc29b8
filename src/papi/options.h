// The defaults of the library that PAPI_set_opt() changes.
#pragma once

#include <atomic>
#include <csignal>

#include <sys/time.h>

#include "papi/abi.h"

namespace ringside::papi {

// How often a set without interrupts is looked at, and how often multiplexed sets take turns.
struct TimerOptions {
    std::atomic<int> number{ITIMER_PROF};
    std::atomic<int> signal{SIGPROF};
    std::atomic<int> ns{10'000'000};
};

struct DebugOptions {
    std::atomic<int> level{PAPI_QUIET};
    std::atomic<PAPI_debug_handler_t> handler{nullptr};
};

}  // namespace ringside::papi
