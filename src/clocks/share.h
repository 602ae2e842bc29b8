// The arithmetic of charging a CPU's steal to one of its occupants. Pure functions.
#pragma once

#include <cstdint>

#include <ringside/clocks.h>

namespace ringside::clocks {

// One CPU over some span of time.
struct CpuSpan {
    std::uint64_t occupied_ns = 0;  // by the subject
    std::uint64_t busy_ns = 0;      // by anybody, steal included
    std::uint64_t steal_ns = 0;
};

struct Charge {
    std::uint64_t steal_ns = 0;
    std::uint64_t error_ns = 0;
};

// Steal by the share of busy time. The truth lies between all of the steal having hit the others
// and all of it the subject; what the steps of /proc/stat hide comes on top.
Charge charge(const CpuSpan& span);

// Whether CPU time excludes steal, judged by a subject of which `by_share` was stolen and whose
// occupied time exceeds its CPU time by `difference_ns`. The kernel does one thing or the other, so
// the difference is near the steal or near 0; undetermined while the steal is within its error.
StealAccounting::Answer judge(std::uint64_t difference_ns, const Charge& by_share);

}  // namespace ringside::clocks
