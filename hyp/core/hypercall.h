/* What guests may ask the hypervisor for: HVC #0 with the number in x0 (SMC Calling Convention,
 * vendor-specific hypervisor service, 64 bits). Plain C, so that a Linux driver can include it. */
#ifndef RINGSIDE_HYP_HYPERCALL_H
#define RINGSIDE_HYP_HYPERCALL_H

/* Does nothing: what a hypercall costs. */
#define HYPERCALL_NOTHING 0xc6000000u
/* Gives the rest of the time slice away. */
#define HYPERCALL_YIELD 0xc6000001u
/* paravirtual: x1 is the page (vpmu/page.h) in the guest's memory, where the vCPU's part lies. */
#define HYPERCALL_PMU_PAGE 0xc6000002u
/* paravirtual: x1 is a vpmu::LogicalControl in the guest's memory. */
#define HYPERCALL_PMU_CONFIGURE 0xc6000003u
/* Answers in x0; everything else is a refusal. */
#define HYPERCALL_OK 0
#define HYPERCALL_REFUSED (-1)

#endif
