// From power-on to hyp_main(): EL2, a stack, zeroed memory, vectors.
.section .text.boot, "ax"
.global _start
_start:
    mrs x0, CurrentEL
    cmp x0, #(2 << 2)
    b.ne .                      // nothing can be said before EL2 is there
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
1:  adrp x0, vectors
    add x0, x0, :lo12:vectors
    msr vbar_el2, x0
    isb
    bl hyp_main                 // the frame of the first guest
    b enter_guest
