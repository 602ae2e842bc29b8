# Bare metal on QEMU's virt board with 64 vCPUs and a GICv3: the first one resets the machine once,
# then starts all others, floods the serial port, and switches the machine off when all are done.
# Each of the others executes five thousand rounds.
.globl _start
_start:
    movz x10, #0x4800, lsl #16  // memory that a reset leaves as it is
    ldr x0, [x10]
    cbnz x0, again
    mov x0, #1
    str x0, [x10]
    movz x0, #0x8400, lsl #16   // PSCI SYSTEM_RESET
    movk x0, #9
    hvc #0
1:  b 1b
again:
    mov x11, #1
next:
    movz x0, #0xc400, lsl #16   // PSCI CPU_ON
    movk x0, #3
    and x1, x11, #15            // sixteen in a cluster
    lsr x2, x11, #4
    orr x1, x1, x2, lsl #8
    adr x2, other
    mov x3, #0
    hvc #0
    add x11, x11, #1
    cmp x11, #64
    b.ne next
    movz x1, #0x0900, lsl #16   // the PL011
    mov x0, #0x0d40
    movk x0, #0x3, lsl #16      // 200,000
2:  str wzr, [x1]
    subs x0, x0, #1
    b.ne 2b
    adr x1, done
3:  ldr x0, [x1]
    cmp x0, #63
    b.ne 3b
    movz x0, #0x8400, lsl #16   // PSCI SYSTEM_OFF
    movk x0, #8
    hvc #0
4:  b 4b
other:
    mov x0, #5000
5:  subs x0, x0, #1
    b.ne 5b
    adr x1, done
6:  ldaxr x0, [x1]
    add x0, x0, #1
    stlxr w2, x0, [x1]
    cbnz w2, 6b
7:  wfi
    b 7b
.balign 8
done: .quad 0
.section .note.GNU-stack, "", %progbits
