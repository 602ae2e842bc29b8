// The library that the C functions speak for. The interface names no object, so there is one.
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include <sys/types.h>

#include "base/fork.h"
#include "papi/catalogue.h"
#include "papi/formulas.h"
#include "papi/options.h"
#include "papi/set.h"
#include "papi/threads.h"

namespace ringside::papi {

struct Library {
    std::atomic<int> level{PAPI_NOT_INITED};  // PAPI_*_INITED
    pid_t pid = 0;                            // of the process that initialized it
    base::Mutex life;                         // of initialization and shutdown

    Catalogue& catalogue();  // made with the first call; looks at nothing yet
    Formulas formulas;
    SetTable sets;
    Threads threads;
    TimerOptions timer;
    DebugOptions debug;
    // The program's own locks. Not mutexes: PAPI lets a thread open what another one closed.
    std::array<std::atomic<bool>, PAPI_NUM_LOCK> locked{};

    // Ends every set and forgets events and threads.
    void reset();
    // Grows with each reset(): handles from before it are worth nothing.
    std::atomic<unsigned> epoch{0};

  private:
    base::Mutex making_;
    std::atomic<Catalogue*> catalogue_{nullptr};
};

// Never destroyed, so that a program may call it while it ends.
inline constinit std::atomic<Library*> the_library{nullptr};
Library& make_library();

inline Library& library() {
    Library* made = the_library.load(std::memory_order_acquire);
    return made != nullptr ? *made : make_library();
}

}  // namespace ringside::papi
