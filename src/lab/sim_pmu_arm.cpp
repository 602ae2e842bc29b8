// SimPmu: a program's accesses on Arm (Arm ARM, D19.5).
#include "lab/sim_pmu.h"

namespace ringside::lab {

namespace {

using Kind = vpmu::RegisterKind;
using vpmu::Access;
using vpmu::Outcome;

}  // namespace

// PMUSERENR_EL0: bit 0 opens all but the interrupt enables to EL0, bit 1 PMSWINC, bit 2 reads of
// the cycle counter, bit 3 reads of event counters and PMSELR.
bool SimPmu::arm_refuses(vpmu::Register which, bool user, bool writes) const {
    if (!user) return false;
    const auto open = [&](unsigned n) { return (at_.user_enable >> n & 1) != 0; };
    if (which.kind == Kind::user_enable) return writes;
    if (which.kind == Kind::interrupt_set || which.kind == Kind::interrupt_clear) return true;
    if (open(0)) return false;
    if (which.kind == Kind::software_increment) return !open(1);
    if (which.kind == Kind::select) return !open(3);
    if (which.kind == Kind::selected_counter) return writes || !open(3);
    if (which.kind == Kind::counter) return writes || !open(which.slot == cycle_counter ? 2 : 3);
    return true;
}

Access SimPmu::arm_read(vpmu::Register which, bool user) const {
    if (arm_refuses(which, user, false)) return {};
    const auto selected = static_cast<Slot>(at_.select);
    const auto value = [](std::uint64_t v) { return Access{Outcome::done, v}; };
    switch (which.kind) {
        case Kind::counter:
            return value(at_.counter[which.slot]);
        case Kind::selector:
            return value(at_.selector[which.slot]);
        case Kind::selected_counter:
            if (selected == cycle_counter || !model_.has(selected)) return {};
            return value(at_.counter[selected]);
        case Kind::selected_selector:
            if (!model_.has(selected)) return {};
            return value(at_.selector[selected]);
        case Kind::control:
            return value(at_.control | std::uint64_t{model_.general_count()} << 11);
        case Kind::enable_set:
        case Kind::enable_clear:
            return value(at_.enable);
        case Kind::interrupt_set:
        case Kind::interrupt_clear:
            return value(at_.interrupt_enable);
        case Kind::overflow_set:
        case Kind::overflow_clear:
            return value(at_.overflow);
        case Kind::select:
            return value(at_.select);
        case Kind::user_enable:
            return value(at_.user_enable);
        case Kind::event_id_low:
            return value(model_.event_ids & 0xffffffff);
        case Kind::event_id_high:
            return value(model_.event_ids >> 32);
        default:
            return {};
    }
}

Outcome SimPmu::arm_write(vpmu::Register which, std::uint64_t value, bool user) {
    if (arm_refuses(which, user, true)) return Outcome::undefined;
    if (which.kind == Kind::selected_counter || which.kind == Kind::selected_selector) {
        const auto selected = static_cast<Slot>(at_.select);
        const bool counter = which.kind == Kind::selected_counter;
        if (!model_.has(selected) || (counter && selected == cycle_counter)) {
            return Outcome::undefined;
        }
        which = {counter ? Kind::counter : Kind::selector, selected};
    }
    switch (which.kind) {
        case Kind::counter:
            at_.counter[which.slot] = value & model_.value_mask(which.slot);
            break;
        case Kind::selector:
            at_.selector[which.slot] =
                value & (which.slot == cycle_counter ? 0xc0000000 : 0xc000ffff);
            break;
        case Kind::control:
            at_.control = value & (model_.version >= 6 ? 0xc1 : 0x41);
            if ((value & 2) != 0) {
                for (Slot slot = 0; slot < model_.general_count(); ++slot) at_.counter[slot] = 0;
            }
            if ((value & 4) != 0) at_.counter[cycle_counter] = 0;
            break;
        case Kind::enable_set:
            at_.enable |= value & model_.slots();
            break;
        case Kind::enable_clear:
            at_.enable &= ~value;
            break;
        case Kind::interrupt_set:
            at_.interrupt_enable |= value & model_.slots();
            break;
        case Kind::interrupt_clear:
            at_.interrupt_enable &= ~value;
            break;
        case Kind::overflow_set:
            at_.overflow |= value & model_.slots();
            break;
        case Kind::overflow_clear:
            at_.overflow &= ~value;
            break;
        case Kind::select:
            at_.select = value & 31;
            break;
        case Kind::user_enable:
            at_.user_enable = value & 15;
            break;
        case Kind::software_increment:
            for (Slot slot = 0; slot < model_.general_count(); ++slot) {
                const bool named = (value >> slot & 1) != 0 && (denied_ >> slot & 1) == 0;
                const bool counts = runs_in(user ? Mode::guest_user : Mode::guest_kernel, slot) &&
                                    (at_.selector[slot] & 0xffff) == 0;
                if (named && counts) bump(slot, 1);
            }
            break;
        default:
            return Outcome::undefined;
    }
    return Outcome::done;
}

}  // namespace ringside::lab
