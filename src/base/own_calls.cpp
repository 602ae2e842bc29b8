#include "base/own_calls.h"

#include <dlfcn.h>

#include "abi/io_table.h"

namespace ringside::base {

int* own_call_depth() {
    // Which libraries a program begins with does not change.
    static auto* const function =
        reinterpret_cast<io_own_depth_function*>(::dlsym(RTLD_DEFAULT, IO_OWN_DEPTH_SYMBOL));
    return function != nullptr ? function() : nullptr;
}

}  // namespace ringside::base
