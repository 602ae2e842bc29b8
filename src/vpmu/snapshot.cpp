#include "vpmu/snapshot.h"

#include "vpmu/bits.h"
#include "vpmu/logical.h"

namespace ringside::vpmu {

const char* to_text(Refusal refusal) {
    switch (refusal) {
        case Refusal::none:
            return "can be restored";
        case Refusal::malformed:
            return "the saved state is damaged";
        case Refusal::other_machine:
            return "the machine promises its guest another PMU";
        case Refusal::other_architecture:
            return "the host's PMU is of another architecture";
        case Refusal::fewer_counters:
            return "the host has fewer counters than the guest";
        case Refusal::narrower_counters:
            return "the host's counters are narrower than the guest's";
        case Refusal::missing_events:
            return "the host lacks events that the guest was told of";
    }
    return "unknown";
}

Refusal can_host(const Vm& vm, const PmuModel& host) {
    const PmuModel& guest = vm.model;
    if (!is_possible(guest)) return Refusal::malformed;
    if (guest.architecture != host.architecture) return Refusal::other_architecture;
    if (is_backed_by_host(vm.policy)) return Refusal::none;
    if ((guest.slots() & ~host.slots()) != 0) return Refusal::fewer_counters;
    const bool narrower = guest.width_bits != host.width_bits ||
                          (guest.fixed != 0 && guest.fixed_width_bits != host.fixed_width_bits);
    if (narrower) return Refusal::narrower_counters;
    std::uint64_t needed = guest.event_ids;
    if (vm.emulates_chain) needed &= ~bit(arm::event_chain);
    return (needed & ~host.event_ids) != 0 ? Refusal::missing_events : Refusal::none;
}

Snapshot save(const Vcpu& vcpu) {
    Snapshot snapshot;
    snapshot.model = vcpu.model();
    snapshot.state = vcpu.guest;
    snapshot.interrupt_pending = vcpu.interrupt_pending;
    snapshot.logical = vcpu.logical;
    return snapshot;
}

namespace {

// A state the guest could have reached by its own writes: writing it again changes nothing.
bool is_reachable(const PmuModel& model, const PmuState& state) {
    PmuState again = state;
    bool good = ((state.enable | state.overflow | state.interrupt_enable) & ~model.slots()) == 0;
    const auto rewrite = [&](Register which, std::uint64_t value) {
        good = good && write_register(model, again, which, value, Privilege::kernel).outcome ==
                           Outcome::done;
    };
    for_each_slot(model.slots(), [&](Slot slot) {
        rewrite({RegisterKind::counter, slot}, state.counter[slot]);
        if ((model.selectable() >> slot & 1) != 0) {
            rewrite({RegisterKind::selector, slot}, state.selector[slot]);
        }
    });
    if (model.has_control()) rewrite({RegisterKind::control, 0}, state.control);
    if (model.is_arm()) {
        rewrite({RegisterKind::select, 0}, state.select);
        rewrite({RegisterKind::user_enable, 0}, state.user_enable);
    }
    return good && again == state;
}

}  // namespace

Refusal restore(Vcpu& vcpu, const Snapshot& snapshot, const PmuModel& host) {
    const bool known = snapshot.version == Snapshot::current_version;
    if (!known || !is_possible(snapshot.model)) return Refusal::malformed;
    if (!(snapshot.model == vcpu.model())) return Refusal::other_machine;
    if (!is_reachable(snapshot.model, snapshot.state)) return Refusal::malformed;
    if (const Refusal refusal = can_host(*vcpu.vm, host); refusal != Refusal::none) return refusal;
    if (is_logical(vcpu.vm->policy) && !fits(vcpu, snapshot.logical.control)) {
        return Refusal::malformed;
    }
    vcpu.guest = snapshot.state;
    vcpu.interrupt_pending = snapshot.interrupt_pending;
    vcpu.logical = snapshot.logical;
    vcpu.refresh();
    return Refusal::none;
}

}  // namespace ringside::vpmu
