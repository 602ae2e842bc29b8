/* What guests may ask the hypervisor for: HVC #0 with the number in x0 (SMC Calling Convention,
 * vendor-specific hypervisor service, 64 bits).
 *
 * Writer: the guest's kernel (driver/, hyp/tests). Reader: hyp/core/exits.cpp.
 * Rule: the caller waits inside of the call. The hypervisor copies the struct before it checks it,
 * because the guest's memory may change meanwhile, and keeps no pointer to it; the page's address
 * is kept until another one is named. */
#ifndef RINGSIDE_ABI_HYPERCALL_H
#define RINGSIDE_ABI_HYPERCALL_H

#include "abi/layout.h"

/* Does nothing: what a hypercall costs. */
#define HYPERCALL_NOTHING 0xc6000000u
/* Gives the rest of the time slice away. */
#define HYPERCALL_YIELD 0xc6000001u
/* x1 is where the vCPU's part of the page (abi/vpmu_page.h) lies in the guest's memory, a multiple
 * of 64; 0: nowhere. */
#define HYPERCALL_PMU_PAGE 0xc6000002u
/* paravirtual: x1 is a struct hypercall_pmu_control in the guest's memory. */
#define HYPERCALL_PMU_CONFIGURE 0xc6000003u
/* Answers in x0; everything else is a refusal. */
#define HYPERCALL_OK 0
#define HYPERCALL_REFUSED (-1)

/* vpmu::LogicalControl, in C. Counters by number, PMEVCNTR<n>_EL0; 31 is the cycle counter. */
#define HYPERCALL_PMU_SLOTS 36
struct hypercall_pmu_control {
    uint64_t slots;
    uint64_t sampling; /* of these: start from `value`, and interrupt at the overflow */
    uint64_t selector[HYPERCALL_PMU_SLOTS];
    uint64_t control; /* PMCR_EL0, with E set */
    uint64_t value[HYPERCALL_PMU_SLOTS];
};
ABI_OFFSET(hypercall_pmu_control, selector, 16);
ABI_OFFSET(hypercall_pmu_control, control, 304);
ABI_OFFSET(hypercall_pmu_control, value, 312);
ABI_SIZE(hypercall_pmu_control, 600);

#endif
