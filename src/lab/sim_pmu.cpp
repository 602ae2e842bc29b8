#include "lab/sim_pmu.h"

namespace ringside::lab {

namespace {

using Kind = vpmu::RegisterKind;
using vpmu::Access;
using vpmu::Outcome;

constexpr std::uint64_t b(unsigned n) {
    return std::uint64_t{1} << n;
}

}  // namespace

SimPmu::SimPmu(const vpmu::PmuModel& model) : model_(model) {
    if (!is_arm()) at_.enable = model.general;
    for (Slot slot = 0; slot < vpmu::max_slots; ++slot) masks_[slot] = model.value_mask(slot);
}

Mask SimPmu::enable_in(Mode mode) const {
    const bool swapped = is_intel() && mode == Mode::host && !host_is_kernel_ && !keeps_enable_;
    return swapped ? host_enable_ : at_.enable;
}

// Is the counter switched on, wherever the CPU is in `mode`?
bool SimPmu::runs_in(Mode mode, Slot slot) const {
    if (is_arm())
        return (at_.control & 1) != 0 && (at_.enable & b(slot)) != 0 && counts_at(mode, slot);
    const bool host = mode == Mode::host && !host_is_kernel_;
    if ((enable_in(mode) & b(slot)) == 0) return false;
    if (slot >= 32) return counts_at(mode, slot);
    if ((at_.selector[slot] & b(22)) == 0) return false;
    if (is_amd() && host && (at_.selector[slot] & b(40)) != 0) return false;
    if (is_amd() && !host && (at_.selector[slot] & b(41)) != 0) return false;
    return counts_at(mode, slot);
}

bool SimPmu::counts_at(Mode mode, Slot slot) const {
    const std::uint64_t selector = at_.selector[slot];
    if (is_arm()) {
        if (mode == Mode::guest_user) return (selector & b(30)) == 0;
        if (mode == Mode::guest_kernel || host_is_kernel_) return (selector & b(31)) == 0;
        return (selector & b(27)) != 0;
    }
    const bool user = mode == Mode::guest_user;
    if (slot >= 32) return (nibble(slot) & (user ? 2u : 1u)) != 0;
    return (selector & (user ? b(16) : b(17))) != 0;
}

bool SimPmu::counts_event(Slot slot, const Occurrence& what) const {
    const std::uint64_t selector = at_.selector[slot];
    if (is_arm()) {
        return slot == cycle_counter ? what.select == 0x11 : (selector & 0xffff) == what.select;
    }
    if (slot == 32) return what.select == 0xc0 && what.umask == 0;
    if (slot == 33) return what.select == 0x3c && what.umask == 0;
    if (slot > 33) return what.select == 0 && what.umask == slot - 31;
    const std::uint64_t select = (selector & 0xff) | (is_amd() ? selector >> 24 & 0xf00 : 0);
    return select == what.select && (selector >> 8 & 0xff) == what.umask;
}

bool SimPmu::asks_interrupt(Slot slot) const {
    if (is_arm()) return (at_.interrupt_enable & b(slot)) != 0;
    return slot >= 32 ? (nibble(slot) & 8) != 0 : (at_.selector[slot] & b(20)) != 0;
}

unsigned SimPmu::carry_bits(Slot slot) const {
    if (!is_arm()) return slot >= 32 ? model_.fixed_width_bits : model_.width_bits;
    const unsigned long_bit = slot == cycle_counter ? 6 : 7;
    return (at_.control & b(long_bit)) != 0 ? 64 : 32;
}

void SimPmu::bump(Slot slot, std::uint64_t events) {
    __extension__ using Wide = unsigned __int128;
    const unsigned bits = carry_bits(slot);
    const Wide low = Wide{at_.counter[slot]} & ((Wide{1} << bits) - 1);
    const auto wraps = static_cast<std::uint64_t>((low + events) >> bits);
    at_.counter[slot] = (at_.counter[slot] + events) & model_.value_mask(slot);
    if (wraps == 0) return;
    at_.overflow |= b(slot);
    if (!is_arm() && asks_interrupt(slot)) raised_ = true;
    const Slot next = slot + 1;
    const bool chains = is_arm() && bits == 32 && slot % 2 == 0 && next < cycle_counter &&
                        model_.has(next) && (at_.enable & b(next)) != 0 &&
                        (at_.selector[next] & 0xffff) == 0x1e && (model_.event_ids & b(0x1e)) != 0;
    if (chains && (denied_ & b(next)) == 0) bump(next, wraps);
}

void SimPmu::run(Mode mode, std::span<const Occurrence> happened) {
    for (Mask on = enable_in(mode) & ~denied_; on != 0; on &= on - 1) {
        const auto slot = static_cast<Slot>(std::countr_zero(on));
        if (!runs_in(mode, slot)) continue;
        for (const Occurrence& what : happened) {
            if (what.events != 0 && counts_event(slot, what)) bump(slot, what.events);
        }
    }
}

Mask SimPmu::running(Mode mode) const {
    Mask on = 0;
    vpmu::for_each_slot(model_.slots(), [&](Slot slot) {
        if (runs_in(mode, slot)) on |= b(slot);
    });
    return on;
}

bool SimPmu::interrupt_level() const {
    if (!is_arm()) return raised_;
    return (at_.control & 1) != 0 && (at_.overflow & at_.interrupt_enable) != 0;
}

Access SimPmu::program_read(vpmu::Register which, vpmu::Privilege privilege) const {
    const bool user = privilege == vpmu::Privilege::user;
    if (is_arm()) return arm_read(which, user);
    if (user && !(which.kind == Kind::counter_read && (at_.user_enable & 1) != 0)) return {};
    switch (which.kind) {
        case Kind::counter:
        case Kind::counter_low:
        case Kind::counter_read:
            return {Outcome::done, at_.counter[which.slot]};
        case Kind::selector:
            return {Outcome::done, at_.selector[which.slot]};
        case Kind::control:
            if (is_amd()) return {};
            return {Outcome::done, at_.control};
        case Kind::enable:
            return {Outcome::done, at_.enable};
        case Kind::status:
            return {Outcome::done, at_.overflow};
        case Kind::status_clear:
        case Kind::status_set:
            return {Outcome::done, 0};
        default:
            return {};
    }
}

Outcome SimPmu::program_write(vpmu::Register which, std::uint64_t value,
                              vpmu::Privilege privilege) {
    const bool user = privilege == vpmu::Privilege::user;
    if (is_arm()) return arm_write(which, value, user);
    return user ? Outcome::undefined : x86_write(which, value);
}

Outcome SimPmu::x86_write(vpmu::Register which, std::uint64_t value) {
    const std::uint64_t wide = model_.value_mask(which.slot);
    const std::uint64_t writable_selector = is_intel() ? 0xffdfffff : 0xfffd7ffff;
    switch (which.kind) {
        case Kind::counter:
            if (is_intel() && (value & ~wide) != 0) return Outcome::undefined;
            at_.counter[which.slot] = value & wide;
            return Outcome::done;
        case Kind::counter_low:
            value &= 0xffffffff;
            at_.counter[which.slot] =
                ((value & b(31)) != 0 ? value | ~0xffffffffull : value) & wide;
            return Outcome::done;
        case Kind::selector:
            if (is_intel() && (value & ~writable_selector) != 0) return Outcome::undefined;
            at_.selector[which.slot] = value & writable_selector;
            return Outcome::done;
        case Kind::control: {
            const std::uint64_t writable = 0xbbbb & ((b(4 * model_.fixed_count())) - 1);
            if (!is_intel() || (value & ~writable) != 0) return Outcome::undefined;
            at_.control = value;
            return Outcome::done;
        }
        case Kind::enable:
            if (is_intel() && (value & ~model_.slots()) != 0) return Outcome::undefined;
            at_.enable = value & model_.slots();
            return Outcome::done;
        case Kind::status:
            return is_intel() ? Outcome::undefined : Outcome::ignored;
        case Kind::status_clear:
            if (is_intel() && (value & ~(model_.slots() | b(61) | b(62) | b(63))) != 0) {
                return Outcome::undefined;
            }
            at_.overflow &= ~value;
            return Outcome::done;
        case Kind::status_set:
            if (is_intel() && (value & ~model_.slots()) != 0) return Outcome::undefined;
            at_.overflow |= value & model_.slots();
            return Outcome::done;
        default:
            return Outcome::undefined;
    }
}

}  // namespace ringside::lab
