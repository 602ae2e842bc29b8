// What the C functions have in common.
#pragma once

#include <new>

#include "base/fork.h"
#include "papi/abi.h"
#include "papi/errors.h"
#include "papi/library.h"

namespace ringside::papi {

// No exception leaves the library. What fails is remembered for PAPI_perror(). A child that is
// forked by another thread finds every set as it was before or after the call.
template <typename Call>
int guarded(Call&& call) noexcept {
    const base::NoFork no_fork;
    try {
        return note(call());
    } catch (const std::bad_alloc&) {
        return note(PAPI_ENOMEM);
    } catch (...) {
        return note(PAPI_EBUG);
    }
}

inline bool initialized() {
    return library().level.load(std::memory_order_acquire) != PAPI_NOT_INITED;
}

// On the event set of that handle, if there is one.
template <typename Call>
int with_set(int handle, Call&& call) noexcept {
    Set* set = library().sets.find(handle);
    if (set == nullptr) return note(initialized() ? PAPI_ENOEVST : PAPI_ENOINIT);
    return guarded([&] { return call(*set); });
}

}  // namespace ringside::papi
