// Exceptions a guest takes at EL1 because of what it did, as the CPU would have raised them.
#pragma once

#include "hyp/arch/frame.h"
#include "hyp/arch/sysreg.h"
#include "hyp/arch/trap.h"

namespace ringside::hyp {

// `syndrome` becomes ESR_EL1. The guest must be the one whose EL1 registers are loaded.
inline void inject(Frame& frame, std::uint64_t syndrome) {
    constexpr std::uint64_t kernel_mode_masked = 0x3c5;
    HYP_WRITE(esr_el1, syndrome);
    HYP_WRITE(elr_el1, frame.pc);
    HYP_WRITE(spsr_el1, frame.pstate);
    frame.pc = HYP_READ(vbar_el1) + vector_offset(frame.pstate);
    frame.pstate = kernel_mode_masked;
}

inline void inject_undefined(Frame& frame) {
    constexpr std::uint64_t unknown_reason = 1u << 25;  // EC 0, a 32-bit instruction
    inject(frame, unknown_reason);
}

// A device did not answer the access at the virtual address `address`.
inline void inject_external_abort(Frame& frame, std::uint64_t address, bool is_write) {
    const std::uint64_t exception_class = frame.is_user() ? 0x24 : 0x25;
    constexpr std::uint64_t wide_instruction = 1u << 25;
    constexpr std::uint64_t external = 0x10;  // DFSC
    HYP_WRITE(far_el1, address);
    inject(frame, exception_class << 26 | wide_instruction | unsigned{is_write} << 6 | external);
}

}  // namespace ringside::hyp
