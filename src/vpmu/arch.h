// What the registers mean: which counters run, what they count, when they overflow, and how a
// guest's accesses change them. Pure functions of a model and a state; x86.cpp and arm64.cpp hold
// what the manuals say of each, arch.cpp chooses between them.
#pragma once

#include "vpmu/registers.h"
#include "vpmu/state.h"

namespace ringside::vpmu {

PmuState reset_state(const PmuModel& model);

// Counters that are switched on, by their own enable bit and by the global one.
Mask counting(const PmuModel& model, const PmuState& state);
// Counters whose overflow asks for an interrupt.
Mask interrupting(const PmuModel& model, const PmuState& state);
Event event_of(const PmuModel& model, const PmuState& state, Slot slot);
// An overflow is a carry out of this many bits; on Arm PMCR.LC and PMCR.LP choose 32 or 64.
unsigned overflow_bits(const PmuModel& model, const PmuState& state, Slot slot);

// Counts `events` as the hardware would: wraps, sets overflow bits, carries into a CHAIN partner.
// Returns the counters that overflowed.
Mask advance(const PmuModel& model, PmuState& state, Slot slot, std::uint64_t events);

// Does the odd counter above `low` count its overflows?
bool is_chained(const PmuModel& model, const PmuState& state, Slot low);

// Arm's interrupt is a level (AArch64.CheckForPMUOverflow): PMCR.E and any counter with both its
// overflow and its interrupt-enable bit. Kernels before 6.14 also wanted the counter enabled.
bool interrupt_level(const PmuModel& model, const PmuState& state);

Access read_register(const PmuModel& model, const PmuState& state, Register which,
                     Privilege privilege);

struct Write {
    Outcome outcome = Outcome::undefined;
    Mask overflowed = 0;  // counters that a software increment wrapped
};
Write write_register(const PmuModel& model, PmuState& state, Register which, std::uint64_t value,
                     Privilege privilege);

}  // namespace ringside::vpmu
