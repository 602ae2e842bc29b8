#include "base/own_calls.h"

#include <atomic>

#include <dlfcn.h>

#include "abi/io_table.h"

namespace ringside::base {

namespace {

io_own_depth_function* find_function() {
    return reinterpret_cast<io_own_depth_function*>(::dlsym(RTLD_DEFAULT, IO_OWN_DEPTH_SYMBOL));
}

}  // namespace

int* own_call_depth() {
    // Which libraries a program begins with does not change. Without a lock: threads that come here
    // first at the same time find the same, and a child may be forked meanwhile.
    static constinit std::atomic<bool> looked{false};
    static constinit std::atomic<io_own_depth_function*> function{nullptr};
    if (!looked.load(std::memory_order_acquire)) {
        function.store(find_function(), std::memory_order_relaxed);
        looked.store(true, std::memory_order_release);
    }
    auto* const found = function.load(std::memory_order_relaxed);
    return found != nullptr ? found() : nullptr;
}

}  // namespace ringside::base
