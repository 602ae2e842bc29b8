// arm64's half of perf/registers.h.
#pragma once

#include <cstdint>

namespace ringside::perf {

// "rdpmc" in the PMU's format folder: an event is lent to user mode that asks for it.
inline constexpr std::uint64_t lend_to_user_config1 = 2;

// By asm/perf_regs.h: all.
inline constexpr std::uint64_t unwound_registers = (std::uint64_t{1} << 33) - 1;

inline std::uintptr_t thread_mark() {
    std::uintptr_t mark = 0;
    asm("mrs %0, tpidr_el0" : "=r"(mark));
    return mark;
}

inline bool is_register(std::uint32_t number) {
    return number <= 31;
}

// PMXEVCNTR_EL0 needs PMSELR_EL0, which a context switch could change under us; the numbered
// registers do not. There is no instruction that takes the number from a register, so this jumps
// into a table of them, two instructions each. The cycle counter is number 31.
inline std::uint64_t read_register(std::uint32_t number) {
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
}

inline std::uint64_t read_cycles() {
    std::uint64_t value = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
}

}  // namespace ringside::perf
