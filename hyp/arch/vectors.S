// The way out of a guest and back in. Registers are kept in the frame (frame.h) that TPIDR_EL2
// points to; the handler returns the frame to go on with, which may be another guest's.
#include "hyp/arch/frame_layout.h"

.macro exit_to handler
    .balign 0x80
    stp x0, x1, [sp, #-16]!
    mrs x0, tpidr_el2
    stp x2, x3, [x0, #16]
    ldp x2, x3, [sp], #16
    stp x2, x3, [x0]
    adr x1, \handler
    b save_guest
.endm

.macro broken
    .balign 0x80
    b handle_own_fault
.endm

.macro own_sync
    .balign 0x80
    b own_fault
.endm

.text
.balign 0x800
.global vectors
vectors:
    broken                      // EL2 with SP_EL0
    broken
    broken
    broken
    own_sync                    // EL2 itself
    broken
    broken
    broken
    exit_to handle_sync         // a guest in AArch64
    exit_to handle_irq
    exit_to handle_irq
    exit_to handle_serror
    broken                      // a guest in AArch32
    broken
    broken
    broken

// A device that refuses an access made for a guest is the guest's trouble; all else is broken.
own_fault:
    mrs x4, elr_el2
    adr x5, device_accesses_begin
    cmp x4, x5
    b.lo handle_own_fault
    adr x5, device_accesses_end
    cmp x4, x5
    b.hs handle_own_fault
    adr x4, device_access_aborted
    msr elr_el2, x4
    eret

save_guest:
    stp x4, x5, [x0, #32]
    stp x6, x7, [x0, #48]
    stp x8, x9, [x0, #64]
    stp x10, x11, [x0, #80]
    stp x12, x13, [x0, #96]
    stp x14, x15, [x0, #112]
    stp x16, x17, [x0, #128]
    stp x18, x19, [x0, #144]
    stp x20, x21, [x0, #160]
    stp x22, x23, [x0, #176]
    stp x24, x25, [x0, #192]
    stp x26, x27, [x0, #208]
    stp x28, x29, [x0, #224]
    str x30, [x0, #240]
    mrs x2, elr_el2
    mrs x3, spsr_el2
    stp x2, x3, [x0, #FRAME_PC]
    blr x1
.global enter_guest
enter_guest:
    msr tpidr_el2, x0
    ldp x2, x3, [x0, #FRAME_PC]
    msr elr_el2, x2
    msr spsr_el2, x3
    ldp x2, x3, [x0, #16]
    ldp x4, x5, [x0, #32]
    ldp x6, x7, [x0, #48]
    ldp x8, x9, [x0, #64]
    ldp x10, x11, [x0, #80]
    ldp x12, x13, [x0, #96]
    ldp x14, x15, [x0, #112]
    ldp x16, x17, [x0, #128]
    ldp x18, x19, [x0, #144]
    ldp x20, x21, [x0, #160]
    ldp x22, x23, [x0, #176]
    ldp x24, x25, [x0, #192]
    ldp x26, x27, [x0, #208]
    ldp x28, x29, [x0, #224]
    ldr x30, [x0, #240]
    ldp x0, x1, [x0]
    eret

// The hypervisor itself is compiled without floating point; guests are not. x0: 32 registers of 16
// bytes, then FPCR and FPSR.
.macro each_pair instruction
    \instruction q0, q1, [x0, #0]
    \instruction q2, q3, [x0, #32]
    \instruction q4, q5, [x0, #64]
    \instruction q6, q7, [x0, #96]
    \instruction q8, q9, [x0, #128]
    \instruction q10, q11, [x0, #160]
    \instruction q12, q13, [x0, #192]
    \instruction q14, q15, [x0, #224]
    \instruction q16, q17, [x0, #256]
    \instruction q18, q19, [x0, #288]
    \instruction q20, q21, [x0, #320]
    \instruction q22, q23, [x0, #352]
    \instruction q24, q25, [x0, #384]
    \instruction q26, q27, [x0, #416]
    \instruction q28, q29, [x0, #448]
    \instruction q30, q31, [x0, #480]
.endm
.arch_extension fp
.arch_extension simd
.global save_floating_point
save_floating_point:
    each_pair stp
    mrs x1, fpcr
    mrs x2, fpsr
    add x0, x0, #512
    stp x1, x2, [x0]
    ret
.global load_floating_point
load_floating_point:
    each_pair ldp
    add x0, x0, #512
    ldp x1, x2, [x0]
    msr fpcr, x1
    msr fpsr, x2
    ret
