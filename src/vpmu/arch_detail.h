// The two halves of arch.h; only arch.cpp chooses between them.
#pragma once

#include "vpmu/arch.h"

namespace ringside::vpmu {

namespace x86 {
Mask counting(const PmuModel& model, const PmuState& state);
Mask interrupting(const PmuModel& model, const PmuState& state);
Event event_of(const PmuModel& model, const PmuState& state, Slot slot);
Access read(const PmuState& state, Register which, Privilege privilege);
Outcome write(const PmuModel& model, PmuState& state, Register which, std::uint64_t value);
}  // namespace x86

namespace arm {
Mask counting(const PmuModel& model, const PmuState& state);
Event event_of(const PmuState& state, Slot slot);
unsigned overflow_bits(const PmuModel& model, const PmuState& state, Slot slot);
Access read(const PmuModel& model, const PmuState& state, Register which, Privilege privilege);
Write write(const PmuModel& model, PmuState& state, Register which, std::uint64_t value,
            Privilege privilege);
}  // namespace arm

}  // namespace ringside::vpmu
