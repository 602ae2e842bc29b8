// What every exit saves of a guest: its general registers and where it was.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hyp/arch/frame_layout.h"

namespace ringside::hyp {

inline constexpr std::uint64_t instruction_bytes = 4;

struct Frame {
    std::uint64_t x[31] = {};
    std::uint64_t pc = 0;
    std::uint64_t pstate = 0;

    std::uint64_t get(unsigned index) const { return index < 31 ? x[index] : 0; }
    void set(unsigned index, std::uint64_t value) {
        if (index < 31) x[index] = value;
    }
    bool is_user() const { return (pstate & 0xc) == 0; }
};
static_assert(offsetof(Frame, pc) == FRAME_PC);

}  // namespace ringside::hyp
