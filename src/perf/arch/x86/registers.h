// x86-64's half of perf/registers.h.
#pragma once

#include <cstdint>

namespace ringside::perf {

// Every event is lent to user mode that the kernel lends at all.
inline constexpr std::uint64_t lend_to_user_config1 = 0;

// By asm/perf_regs.h: the general registers, ip and flags, without the segments.
inline constexpr std::uint64_t unwound_registers =
    ((std::uint64_t{1} << 24) - 1) & ~(std::uint64_t{0xf} << 12);

inline std::uintptr_t thread_mark() {
    std::uintptr_t mark = 0;
    asm("mov %%fs:0, %0" : "=r"(mark));
    return mark;
}

inline bool is_register(std::uint32_t number) {
    return number != ~0u;
}

inline std::uint64_t read_register(std::uint32_t number) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(number));
    return low | static_cast<std::uint64_t>(high) << 32;
}

inline std::uint64_t read_cycles() {
    return __builtin_ia32_rdtsc();
}

}  // namespace ringside::perf
