// A guest's start, its vectors, and the way to EL0 and back.
.section .text.boot, "ax"
.global _start
_start:
    adrp x0, stack_top
    add sp, x0, :lo12:stack_top
    adrp x0, bss_begin
    add x0, x0, :lo12:bss_begin
    adrp x1, bss_end
    add x1, x1, :lo12:bss_end
0:  cmp x0, x1
    b.hs 1f
    stp xzr, xzr, [x0], #16
    b 0b
1:  adrp x0, guest_vectors
    add x0, x0, :lo12:guest_vectors
    msr vbar_el1, x0
    isb
    bl guest_main
.global power_off_guest
power_off_guest:
    mov w0, #0x0008
    movk w0, #0x8400, lsl #16   // PSCI SYSTEM_OFF
    hvc #0
    b .

.macro call handler
    .balign 0x80
    sub sp, sp, #192
    stp x0, x1, [sp, #0]
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    stp x8, x9, [sp, #64]
    stp x10, x11, [sp, #80]
    stp x12, x13, [sp, #96]
    stp x14, x15, [sp, #112]
    stp x16, x17, [sp, #128]
    stp x18, x29, [sp, #144]
    str x30, [sp, #160]
    bl \handler
    b return_from_exception
.endm

.balign 0x800
guest_vectors:
    .rept 4
    .balign 0x80
    b .
    .endr
    call guest_sync
    call guest_interrupt
    .rept 2
    .balign 0x80
    b .
    .endr
    .balign 0x80
    b user_exception
    call guest_interrupt
    .rept 6
    .balign 0x80
    b .
    .endr

return_from_exception:
    ldp x0, x1, [sp, #0]
    ldp x2, x3, [sp, #16]
    ldp x4, x5, [sp, #32]
    ldp x6, x7, [sp, #48]
    ldp x8, x9, [sp, #64]
    ldp x10, x11, [sp, #80]
    ldp x12, x13, [sp, #96]
    ldp x14, x15, [sp, #112]
    ldp x16, x17, [sp, #128]
    ldp x18, x29, [sp, #144]
    ldr x30, [sp, #160]
    add sp, sp, #192
    eret

// std::uint64_t run_as_user(function): calls it at EL0; what ends it (SVC, or any other exception)
// is returned as ESR_EL1, and its x0 in user_result.
.global run_as_user
run_as_user:
    stp x29, x30, [sp, #-96]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    msr elr_el1, x0
    mov x1, #0x340              // EL0, where the kernel is interrupted if it switched that on
    msr spsr_el1, x1
    adrp x1, user_stack_top
    add x1, x1, :lo12:user_stack_top
    msr sp_el0, x1
    adr x30, user_return
    eret
user_return:
    svc #0
user_exception:
    adrp x1, user_result
    str x0, [x1, :lo12:user_result]
    mrs x0, esr_el1
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp x29, x30, [sp], #96
    ret

// std::uint64_t spin(n): exactly 2 n + 1 instructions from its first to its last, the return.
.global spin
spin:
0:  subs x0, x0, #1
    b.ne 0b
    ret
