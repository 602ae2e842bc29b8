// Intel architectural performance monitoring (SDM vol. 3, chapter 20) and AMD PerfMonV2 (APM vol.
// 2, 13.2). They differ in one habit: Intel faults on reserved bits, AMD ignores them.
#include "vpmu/arch_detail.h"
#include "vpmu/bits.h"

namespace ringside::vpmu::x86 {

namespace {

using Kind = RegisterKind;

bool is_intel(const PmuModel& model) {
    return model.architecture == Architecture::intel;
}

std::uint64_t fixed_nibble(const PmuState& state, Slot slot) {
    return state.control >> (4 * (slot - first_intel_fixed)) & 0xf;
}

std::uint64_t fixed_control_writable(const PmuModel& model) {
    std::uint64_t writable = 0;
    for_each_slot(model.fixed, [&](Slot slot) {
        writable |= fixed_writable << (4 * (slot - first_intel_fixed));
    });
    return writable;
}

// Events of the fixed counters: instructions, core cycles, reference cycles, top-down slots. The
// last two have no general encoding; Linux gives them umask 3 and 4 of event 0.
constexpr Event fixed_events[] = {{0xc0, 0x00}, {0x3c, 0x00}, {0x00, 0x03}, {0x00, 0x04}};

// Writes `value` into `target`, or refuses it as this vendor does.
Outcome store(const PmuModel& model, std::uint64_t& target, std::uint64_t value,
              std::uint64_t writable) {
    if (is_intel(model) && (value & ~writable) != 0) return Outcome::undefined;
    target = value & writable;
    return Outcome::done;
}

Outcome write_counter(const PmuModel& model, PmuState& state, Slot slot, std::uint64_t value) {
    return store(model, state.counter[slot], value, model.value_mask(slot));
}

// SDM vol. 3, 20.2.8: the old counter addresses take 32 bits and extend their sign.
Outcome write_counter_low(const PmuModel& model, PmuState& state, Slot slot, std::uint64_t value) {
    const auto extended = std::uint64_t(std::int64_t(std::int32_t(std::uint32_t(value))));
    state.counter[slot] = extended & model.value_mask(slot);
    return Outcome::done;
}

Outcome clear_status(const PmuModel& model, PmuState& state, std::uint64_t value) {
    // Bits 63:61 (CondChgd, OvfBuffer, uncore) can be cleared although they never become set here.
    constexpr std::uint64_t other_status = 7ull << 61;
    if (is_intel(model) && (value & ~(model.slots() | other_status)) != 0) {
        return Outcome::undefined;
    }
    state.overflow &= ~value;
    return Outcome::done;
}

Outcome set_status(const PmuModel& model, PmuState& state, std::uint64_t value) {
    if (is_intel(model) && (value & ~model.slots()) != 0) return Outcome::undefined;
    state.overflow |= value & model.slots();
    return Outcome::done;
}

}  // namespace

Mask counting(const PmuModel& model, const PmuState& state) {
    Mask on = 0;
    for_each_slot(state.enable & model.slots(), [&](Slot slot) {
        const bool wanted = is_intel(model) && model.is_fixed(slot)
                                ? (fixed_nibble(state, slot) & (fixed_kernel | fixed_user)) != 0
                                : (state.selector[slot] & select_enable) != 0;
        if (wanted) on |= bit(slot);
    });
    return on;
}

Mask interrupting(const PmuModel& model, const PmuState& state) {
    Mask wanted = 0;
    for_each_slot(model.slots(), [&](Slot slot) {
        const bool asks = is_intel(model) && model.is_fixed(slot)
                              ? (fixed_nibble(state, slot) & fixed_interrupt) != 0
                              : (state.selector[slot] & select_interrupt) != 0;
        if (asks) wanted |= bit(slot);
    });
    return wanted;
}

Event event_of(const PmuModel& model, const PmuState& state, Slot slot) {
    if (is_intel(model) && model.is_fixed(slot)) {
        Event event = fixed_events[slot - first_intel_fixed];
        event.user = (fixed_nibble(state, slot) & fixed_user) != 0;
        event.kernel = (fixed_nibble(state, slot) & fixed_kernel) != 0;
        return event;
    }
    const std::uint64_t selector = state.selector[slot];
    const std::uint64_t high = is_intel(model) ? 0 : (selector & amd_select_event_high) >> 24;
    return {std::uint16_t((selector & select_event) | high),
            std::uint8_t((selector & select_umask) >> 8), (selector & select_user) != 0,
            (selector & select_kernel) != 0};
}

Access read(const PmuState& state, Register which, Privilege privilege) {
    const bool user = privilege == Privilege::user;
    // SDM vol. 2, RDPMC: at CPL 3 it needs CR4.PCE. RDMSR needs CPL 0.
    if (user && (which.kind != Kind::counter_read || (state.user_enable & 1) == 0)) return {};
    switch (which.kind) {
        case Kind::counter:
        case Kind::counter_low:
        case Kind::counter_read:
            return {Outcome::done, state.counter[which.slot]};
        case Kind::selector:
            return {Outcome::done, state.selector[which.slot]};
        case Kind::control:
            return {Outcome::done, state.control};
        case Kind::enable:
            return {Outcome::done, state.enable};
        case Kind::status:
            return {Outcome::done, state.overflow};
        case Kind::status_clear:
        case Kind::status_set:
            return {Outcome::done, 0};
        default:
            return {};
    }
}

Outcome write(const PmuModel& model, PmuState& state, Register which, std::uint64_t value) {
    switch (which.kind) {
        case Kind::counter:
            return write_counter(model, state, which.slot, value);
        case Kind::counter_low:
            return write_counter_low(model, state, which.slot, value);
        case Kind::selector:
            return store(model, state.selector[which.slot], value,
                         is_intel(model) ? intel_select_writable : amd_select_writable);
        case Kind::control:
            return store(model, state.control, value, fixed_control_writable(model));
        case Kind::enable:
            return store(model, state.enable, value, model.slots());
        // Read-only: Intel faults, AMD ignores the write.
        case Kind::status:
            return is_intel(model) ? Outcome::undefined : Outcome::ignored;
        case Kind::status_clear:
            return clear_status(model, state, value);
        case Kind::status_set:
            return set_status(model, state, value);
        default:
            return Outcome::undefined;
    }
}

}  // namespace ringside::vpmu::x86
