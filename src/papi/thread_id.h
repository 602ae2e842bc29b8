// How the parts of the library that initialize it by themselves tell threads apart.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

namespace ringside::papi {

inline unsigned long thread_id() {
    return static_cast<unsigned long>(::syscall(SYS_gettid));
}

}  // namespace ringside::papi
