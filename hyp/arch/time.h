// The generic timer: the counter all CPUs share, and EL2's own timer for time slices.
#pragma once

#include "hyp/arch/sysreg.h"

namespace ringside::hyp {

inline std::uint64_t now_ticks() {
    instruction_barrier();
    return HYP_READ(cntpct_el0);
}

inline std::uint64_t ticks_per_second() {
    return HYP_READ(cntfrq_el0);
}

// Split, so that the product cannot overflow for centuries.
inline std::uint64_t ticks_to_ns(std::uint64_t ticks) {
    constexpr std::uint64_t ns_per_second = 1'000'000'000;
    const std::uint64_t frequency = ticks_per_second();
    return ticks / frequency * ns_per_second + ticks % frequency * ns_per_second / frequency;
}
inline std::uint64_t us_to_ticks(std::uint64_t us) {
    return us * ticks_per_second() / 1'000'000;
}

inline std::uint64_t now_ns() {
    return ticks_to_ns(now_ticks());
}

// Interrupts EL2 when the counter reaches `ticks`.
inline void set_alarm(std::uint64_t ticks) {
    HYP_WRITE(cnthp_cval_el2, ticks);
    HYP_WRITE(cnthp_ctl_el2, 1);
    instruction_barrier();
}

inline void clear_alarm() {
    HYP_WRITE(cnthp_ctl_el2, 0);
}

}  // namespace ringside::hyp
