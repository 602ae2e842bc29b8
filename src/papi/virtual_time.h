// The time a thread was really executed: CPU time without what a hypervisor stole.
#pragma once

#include <cstdint>

namespace ringside::papi {

// Of the calling thread, from an arbitrary beginning. Where the kernel takes steal out of CPU time
// by itself this is one clock_gettime(); elsewhere the first call of a thread opens a clock for it.
std::uint64_t thread_virtual_ns();

}  // namespace ringside::papi
