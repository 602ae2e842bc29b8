// What is switched when another guest gets the CPU: EL1's system registers, floating point, the
// virtual timer, the interrupt interface. General registers are saved at every exit (frame.h).
#pragma once

#include <cstdint>

#include "hyp/arch/stage2.h"

namespace ringside::hyp {

// Every EL1 register that a guest can change and another one could feel.
#define HYP_EL1_REGISTERS(each)                                                                    \
    each(sctlr_el1) each(cpacr_el1) each(ttbr0_el1) each(ttbr1_el1) each(tcr_el1) each(mair_el1)   \
        each(amair_el1) each(vbar_el1) each(esr_el1) each(far_el1) each(afsr0_el1) each(afsr1_el1) \
            each(elr_el1) each(spsr_el1) each(sp_el0) each(sp_el1) each(tpidr_el0)                 \
                each(tpidrro_el0) each(tpidr_el1) each(contextidr_el1) each(par_el1)               \
                    each(cntkctl_el1) each(csselr_el1) each(mdscr_el1) each(cntv_ctl_el0)          \
                        each(cntv_cval_el0)

struct FloatingPoint {
    std::uint64_t registers[64] = {};
    std::uint64_t control = 0;
    std::uint64_t status = 0;
};

struct Context {
#define HYP_MEMBER(name) std::uint64_t name = 0;
    HYP_EL1_REGISTERS(HYP_MEMBER)
#undef HYP_MEMBER
    alignas(16) FloatingPoint floating_point;
    std::uint64_t interrupt_control = 0;  // ICH_VMCR_EL2
    std::uint64_t active_priorities = 0;  // ICH_AP1R0_EL2

    Context();
    void save();
    void load() const;
    // Its virtual timer, while the guest is away.
    bool timer_is_armed() const {
        return (cntv_ctl_el0 & 3) == 1;
    }
};

// What is the same for all guests: what traps, and how stage 2 is walked.
void set_up_el2();
void use_stage2(std::uint64_t vttbr);
// Whether reads of ID registers trap; from the next entry on.
void trap_identification(bool on);
// EL2's own translation: everything where it is, so that memory is cached as the guests cache it.
void enable_el2_translation();

}  // namespace ringside::hyp
