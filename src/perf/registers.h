// The instructions that read counters and clocks in user mode. Inline, because on the shortest way
// from a program to its counter a call is half of the cost.
#pragma once

#include <cstdint>

namespace ringside::perf {

// A number that no other living thread of this process has, without a call.
inline std::uintptr_t thread_mark() {
    std::uintptr_t mark = 0;
#if defined(__x86_64__)
    asm("mov %%fs:0, %0" : "=r"(mark));
#elif defined(__aarch64__)
    asm("mrs %0, tpidr_el0" : "=r"(mark));
#else
#error "Ringside runs on x86-64 and arm64"
#endif
    return mark;
}

// Whether the kernel's page names a register that we have an instruction for: its index less one,
// where an index of 0 means none.
inline bool is_register(std::uint32_t number) {
#if defined(__x86_64__)
    return number != ~0u;
#else
    return number <= 31;
#endif
}

// Faults where user mode may not read it. `number` must be one of is_register().
inline std::uint64_t read_register(std::uint32_t number) {
#if defined(__x86_64__)
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(number));
    return low | static_cast<std::uint64_t>(high) << 32;
#else
    // PMXEVCNTR_EL0 needs PMSELR_EL0, which a context switch could change under us; the numbered
    // registers do not. There is no instruction that takes the number from a register, so this
    // jumps into a table of them, two instructions each. The cycle counter is number 31.
    std::uint64_t value = 0;
    asm volatile(
        "isb\n"
        "adr %0, 1f\n"
        "add %0, %0, %1, lsl #3\n"
        "br %0\n"
        "1:\n"
        ".irp "
        "n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30\n"
        "mrs %0, pmevcntr\\n\\()_el0\n"
        "b 2f\n"
        ".endr\n"
        "mrs %0, pmccntr_el0\n"
        "2:\n"
        : "=&r"(value)
        : "r"(static_cast<std::uint64_t>(number)));
    return value;
#endif
}

// The clock whose parameters the kernel's page gives.
inline std::uint64_t read_cycles() {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    std::uint64_t value = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#endif
}

}  // namespace ringside::perf
