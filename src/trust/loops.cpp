#include "trust/loops.h"

#include <array>

#include <sys/syscall.h>

namespace ringside::trust {

namespace {

// Called through the ABI, so that a call and a return really happen.
[[gnu::noinline]] std::uint64_t called(std::uint64_t value) {
    asm volatile("" : "+r"(value));
    return value;
}

}  // namespace

#if defined(__x86_64__)

void counted_loop(std::uint64_t iterations) {
    asm volatile(
        "1: dec %0\n"
        "jnz 1b\n"
        : "+r"(iterations)
        :
        : "cc");
}

const std::uint64_t exiting_loop_instructions = 4;

void exiting_loop(std::uint64_t iterations, int) {
    asm volatile(
        "1: xor %%eax, %%eax\n"
        "cpuid\n"
        "dec %0\n"
        "jnz 1b\n"
        : "+r"(iterations)
        :
        : "rax", "rbx", "rcx", "rdx", "cc");
}

void unpredictable_branches(std::uint64_t iterations) {
    std::uint64_t state = 88172645463325252u;  // xorshift: its bits have no short period
    std::uint64_t taken = 0;
    for (; iterations != 0; --iterations) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        asm volatile(
            "test $1, %b1\n"
            "jz 1f\n"
            "inc %0\n"
            "1:\n"
            : "+r"(taken)
            : "r"(state)
            : "cc");
        taken = called(taken);
    }
}

void flush_line(const void* address) {
    asm volatile("clflush (%0)\n mfence" : : "r"(address) : "memory");
}

#elif defined(__aarch64__)

void counted_loop(std::uint64_t iterations) {
    asm volatile(
        "1: subs %0, %0, #1\n"
        "b.ne 1b\n"
        : "+r"(iterations)
        :
        : "cc");
}

const std::uint64_t exiting_loop_instructions = 5;

void exiting_loop(std::uint64_t iterations, int fd) {
    std::array<std::uint64_t, 3> words{};
    register long number asm("x8") = SYS_read;
    register long result asm("x0") = 0;
    register void* to asm("x1") = words.data();
    register unsigned long size asm("x2") = sizeof words;
    asm volatile(
        "1: mov x0, %[fd]\n"
        "svc #0\n"
        "nop\n"
        "subs %[left], %[left], #1\n"
        "b.ne 1b\n"
        : [left] "+r"(iterations), "+r"(result)
        : [fd] "r"(static_cast<long>(fd)), "r"(number), "r"(to), "r"(size)
        : "cc", "memory");
}

void unpredictable_branches(std::uint64_t iterations) {
    std::uint64_t state = 88172645463325252u;  // xorshift: its bits have no short period
    std::uint64_t taken = 0;
    for (; iterations != 0; --iterations) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        asm volatile(
            "tbz %1, #0, 1f\n"
            "add %0, %0, #1\n"
            "1:\n"
            : "+r"(taken)
            : "r"(state));
        taken = called(taken);
    }
}

void flush_line(const void* address) {
    asm volatile("dc civac, %0\n dsb ish" : : "r"(address) : "memory");
}

#else
#error "Ringside's known loops are written for x86-64 and arm64"
#endif

}  // namespace ringside::trust
