# A program without a library, so that every instruction of it is known. Its first argument chooses:
#   none     1,000,000 rounds of a loop of two instructions
#   one      forever
#   two      a string instruction that stores 100,000 bytes, and a known number of plain accesses
.globl _start
_start:
    mov (%rsp), %rax
    cmp $2, %rax
    je forever
    ja accesses
    mov $1000000, %ecx
1:  dec %ecx
    jnz 1b
leave:
    mov $60, %eax
    xor %edi, %edi
    syscall
forever:
    jmp forever
accesses:
    mov $buffer, %edi
    mov $100000, %ecx
    rep stosb
    mov $1000, %ecx
2:  mov buffer, %eax
    mov %eax, buffer + 4
    dec %ecx
    jnz 2b
    jmp leave
.bss
buffer: .skip 100000
.section .note.GNU-stack, "", %progbits
