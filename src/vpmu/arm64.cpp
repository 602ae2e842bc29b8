// Arm PMUv3 as a guest without EL2 and EL3 sees it (Arm ARM, chapter D13).
#include "vpmu/arch_detail.h"
#include "vpmu/bits.h"

namespace ringside::vpmu::arm {

namespace {

using Kind = RegisterKind;

// Arm ARM, D19.5.16 PMUSERENR_EL0: what EL0 may do without EN.
bool user_may(const PmuState& state, Register which, bool writes) {
    switch (which.kind) {
        case Kind::user_enable:
            return !writes;
        case Kind::interrupt_set:
        case Kind::interrupt_clear:
            return false;
        default:
            break;
    }
    if ((state.user_enable & user_enable) != 0) return true;
    switch (which.kind) {
        case Kind::software_increment:
            return (state.user_enable & user_increment) != 0;
        case Kind::select:
            return (state.user_enable & user_events) != 0;
        case Kind::selected_counter:
            return !writes && (state.user_enable & user_events) != 0;
        case Kind::counter:
            return !writes && (state.user_enable &
                               (which.slot == arm_cycle_slot ? user_cycles : user_events)) != 0;
        default:
            return false;
    }
}

// PMXEVCNTR and PMXEVTYPER mean what PMSELR names. Where it names nothing the architecture allows
// an Undefined Instruction exception, which is what KVM gives too.
Register resolve(const PmuModel& model, const PmuState& state, Register which) {
    const Slot selected = Slot(state.select);
    if (which.kind == Kind::selected_counter) {
        const bool exists = model.has(selected) && selected != arm_cycle_slot;
        return exists ? Register{Kind::counter, selected} : Register{};
    }
    if (which.kind == Kind::selected_selector) {
        return model.has(selected) ? Register{Kind::selector, selected} : Register{};
    }
    return which;
}

std::uint64_t pmcr_writable(const PmuModel& model) {
    return pmcr_enable | pmcr_long_cycle | (model.version >= 6 ? pmcr_long_events : 0);
}

void write_pmcr(const PmuModel& model, PmuState& state, std::uint64_t value) {
    state.control = value & pmcr_writable(model);
    if ((value & pmcr_reset_events) != 0) {
        for_each_slot(model.general, [&](Slot slot) { state.counter[slot] = 0; });
    }
    if ((value & pmcr_reset_cycles) != 0) state.counter[arm_cycle_slot] = 0;
}

// PMSWINC: one count for each named, running counter whose event is SW_INCR, at either level.
Mask increment(const PmuModel& model, PmuState& state, Mask wanted, Privilege privilege) {
    Mask overflowed = 0;
    for_each_slot(wanted & model.general & arm::counting(model, state), [&](Slot slot) {
        const Event event = arm::event_of(state, slot);
        const bool level = privilege == Privilege::user ? event.user : event.kernel;
        if (level && event.select == event_software_increment) {
            overflowed |= advance(model, state, slot, 1);
        }
    });
    return overflowed;
}

std::uint64_t selector_writable(Slot slot) {
    return slot == arm_cycle_slot ? type_writable & ~type_event : type_writable;
}

}  // namespace

Mask counting(const PmuModel& model, const PmuState& state) {
    return (state.control & pmcr_enable) != 0 ? state.enable & model.slots() : 0;
}

Event event_of(const PmuState& state, Slot slot) {
    const std::uint64_t selector = state.selector[slot];
    const std::uint64_t code = slot == arm_cycle_slot ? event_cycles : selector & type_event;
    return {std::uint16_t(code), 0, (selector & type_not_user) == 0,
            (selector & type_not_kernel) == 0};
}

unsigned overflow_bits(const PmuModel& model, const PmuState& state, Slot slot) {
    if (slot == arm_cycle_slot) return (state.control & pmcr_long_cycle) != 0 ? 64 : 32;
    return model.version >= 6 && (state.control & pmcr_long_events) != 0 ? 64 : 32;
}

Access read(const PmuModel& model, const PmuState& state, Register which, Privilege privilege) {
    if (privilege == Privilege::user && !user_may(state, which, false)) return {};
    which = resolve(model, state, which);
    switch (which.kind) {
        case Kind::counter:
            return {Outcome::done, state.counter[which.slot]};
        case Kind::selector:
            return {Outcome::done, state.selector[which.slot]};
        case Kind::control:
            return {Outcome::done, state.control |
                                       std::uint64_t{model.general_count()} << pmcr_n_shift |
                                       std::uint64_t{model.identity} << pmcr_identity_shift};
        case Kind::enable_set:
        case Kind::enable_clear:
            return {Outcome::done, state.enable};
        case Kind::interrupt_set:
        case Kind::interrupt_clear:
            return {Outcome::done, state.interrupt_enable};
        case Kind::overflow_set:
        case Kind::overflow_clear:
            return {Outcome::done, state.overflow};
        case Kind::select:
            return {Outcome::done, state.select};
        case Kind::user_enable:
            return {Outcome::done, state.user_enable};
        case Kind::event_id_low:
            return {Outcome::done, model.event_ids & low_bits(32)};
        case Kind::event_id_high:
            return {Outcome::done, model.event_ids >> 32};
        default:
            return {};
    }
}

Write write(const PmuModel& model, PmuState& state, Register which, std::uint64_t value,
            Privilege privilege) {
    if (privilege == Privilege::user && !user_may(state, which, true)) return {};
    which = resolve(model, state, which);
    const Mask slots = model.slots();
    switch (which.kind) {
        case Kind::counter:
            state.counter[which.slot] = value & model.value_mask(which.slot);
            break;
        case Kind::selector:
            state.selector[which.slot] = value & selector_writable(which.slot);
            break;
        case Kind::control:
            write_pmcr(model, state, value);
            break;
        case Kind::enable_set:
            state.enable |= value & slots;
            break;
        case Kind::enable_clear:
            state.enable &= ~value;
            break;
        case Kind::interrupt_set:
            state.interrupt_enable |= value & slots;
            break;
        case Kind::interrupt_clear:
            state.interrupt_enable &= ~value;
            break;
        case Kind::overflow_set:
            state.overflow |= value & slots;
            break;
        case Kind::overflow_clear:
            state.overflow &= ~value;
            break;
        case Kind::software_increment:
            return {Outcome::done, increment(model, state, value, privilege)};
        case Kind::select:
            state.select = value & 0x1f;
            break;
        case Kind::user_enable:
            state.user_enable = value & user_writable;
            break;
        default:
            return {};
    }
    return {Outcome::done, 0};
}

}  // namespace ringside::vpmu::arm
