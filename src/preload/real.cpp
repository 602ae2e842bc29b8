#include "preload/real.h"

#include <cerrno>

#include <dlfcn.h>

namespace ringside::preload {

// The linker makes these for a section whose name is an identifier.
extern Real first_real[] asm("__start_ringside_io_real") __attribute__((visibility("hidden")));
extern Real after_last_real[] asm("__stop_ringside_io_real") __attribute__((visibility("hidden")));

namespace {

// In place of a function that this libc lacks: a program may look ours up by name and call it.
long missing() {
    errno = ENOSYS;
    return -1;
}

}  // namespace

void* Real::resolve(Real& real) {
    const int saved_errno = errno;
    void* found = ::dlsym(RTLD_NEXT, real.name);
    real.address = found != nullptr ? found : reinterpret_cast<void*>(&missing);
    errno = saved_errno;
    return real.address;
}

void resolve_all() {
    for (Real* real = first_real; real != after_last_real; ++real) real->get();
}

}  // namespace ringside::preload
