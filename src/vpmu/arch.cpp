#include "vpmu/arch.h"

#include "vpmu/arch_detail.h"
#include "vpmu/bits.h"

namespace ringside::vpmu {

// SDM vol. 3, table 10-1: GLOBAL_CTRL comes out of reset with the general counters on, and AMD's
// PerfMonV2 follows. Arm leaves most of it unknown; zero is one of the allowed values.
PmuState reset_state(const PmuModel& model) {
    PmuState state;
    if (!model.is_arm()) state.enable = model.general;
    return state;
}

Mask counting(const PmuModel& model, const PmuState& state) {
    return model.is_arm() ? arm::counting(model, state) : x86::counting(model, state);
}

Mask interrupting(const PmuModel& model, const PmuState& state) {
    return model.is_arm() ? state.interrupt_enable : x86::interrupting(model, state);
}

Event event_of(const PmuModel& model, const PmuState& state, Slot slot) {
    return model.is_arm() ? arm::event_of(state, slot) : x86::event_of(model, state, slot);
}

unsigned overflow_bits(const PmuModel& model, const PmuState& state, Slot slot) {
    if (model.is_arm()) return arm::overflow_bits(model, state, slot);
    return model.is_fixed(slot) ? model.fixed_width_bits : model.width_bits;
}

namespace {

// How often `value` carries out of `bits` bits when `events` are added.
std::uint64_t carries(std::uint64_t value, std::uint64_t events, unsigned bits) {
    std::uint64_t sum = 0;
    if (bits >= 64) return __builtin_add_overflow(value, events, &sum) ? 1 : 0;
    const bool lost = __builtin_add_overflow(value & low_bits(bits), events, &sum);
    return (sum >> bits) + (lost ? std::uint64_t{1} << (64 - bits) : 0);
}

}  // namespace

// Arm ARM, D13.6.3: an odd counter with event CHAIN counts the overflows of the even one below it,
// unless the pair already counts with 64 bits.
bool is_chained(const PmuModel& model, const PmuState& state, Slot low) {
    const Slot high = low + 1;
    return model.is_arm() && low % 2 == 0 && model.has(high) && high != arm_cycle_slot &&
           (model.event_ids >> arm::event_chain & 1) != 0 &&
           (counting(model, state) >> high & 1) != 0 &&
           event_of(model, state, high).select == arm::event_chain &&
           overflow_bits(model, state, low) == 32;
}

Mask advance(const PmuModel& model, PmuState& state, Slot slot, std::uint64_t events) {
    const std::uint64_t wraps =
        carries(state.counter[slot], events, overflow_bits(model, state, slot));
    state.counter[slot] = (state.counter[slot] + events) & model.value_mask(slot);
    if (wraps == 0) return 0;
    state.overflow |= bit(slot);
    Mask overflowed = bit(slot);
    if (is_chained(model, state, slot)) overflowed |= advance(model, state, slot + 1, wraps);
    return overflowed;
}

bool interrupt_level(const PmuModel& model, const PmuState& state) {
    return model.is_arm() && (state.control & arm::pmcr_enable) != 0 &&
           (state.overflow & state.interrupt_enable) != 0;
}

Access read_register(const PmuModel& model, const PmuState& state, Register which,
                     Privilege privilege) {
    return model.is_arm() ? arm::read(model, state, which, privilege)
                          : x86::read(state, which, privilege);
}

Write write_register(const PmuModel& model, PmuState& state, Register which, std::uint64_t value,
                     Privilege privilege) {
    if (model.is_arm()) return arm::write(model, state, which, value, privilege);
    if (privilege == Privilege::user) return {};
    return {x86::write(model, state, which, value), 0};
}

}  // namespace ringside::vpmu
