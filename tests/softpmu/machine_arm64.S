# Bare metal on QEMU's virt board with two vCPUs: the first starts the second, executes a million
# rounds and writes a thousand times to the serial port; the second executes half a million rounds.
.globl _start
_start:
    movz x0, #0xc400, lsl #16   // PSCI CPU_ON
    movk x0, #3
    mov x1, #1
    adr x2, second
    mov x3, #0
    hvc #0
    mov x0, #0x4240
    movk x0, #0xf, lsl #16
1:  subs x0, x0, #1
    b.ne 1b
    movz x1, #0x0900, lsl #16   // the PL011
    mov x0, #1000
2:  str wzr, [x1]
    subs x0, x0, #1
    b.ne 2b
    adr x1, done
3:  ldr x0, [x1]
    cbz x0, 3b
    movz x0, #0x8400, lsl #16   // PSCI SYSTEM_OFF
    movk x0, #8
    hvc #0
4:  b 4b
second:
    mov x0, #0xa120
    movk x0, #0x7, lsl #16      // 500,000
5:  subs x0, x0, #1
    b.ne 5b
    adr x1, done
    mov x0, #1
    str x0, [x1]
6:  wfi
    b 6b
.balign 8
done: .quad 0
.section .note.GNU-stack, "", %progbits
