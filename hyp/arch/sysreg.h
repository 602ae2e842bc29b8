// System registers by name. An instruction holds the name, so these must be macros.
#pragma once

#include <cstdint>

#define HYP_READ(name)                                           \
    ([] {                                                        \
        std::uint64_t value_;                                    \
        asm volatile("mrs %0, " #name : "=r"(value_)::"memory"); \
        return value_;                                           \
    }())
#define HYP_WRITE(name, value) \
    asm volatile("msr " #name ", %0" ::"r"(static_cast<std::uint64_t>(value)) : "memory")

namespace ringside::hyp {

inline void instruction_barrier() {
    asm volatile("isb" ::: "memory");
}
inline void data_barrier() {
    asm volatile("dsb sy" ::: "memory");
}
inline void wait_for_interrupt() {
    asm volatile("dsb sy\n wfi" ::: "memory");
}

}  // namespace ringside::hyp
