#include "vpmu/logical.h"

#include "vpmu/bits.h"

namespace ringside::vpmu {

namespace {

// Applies the configuration to `state` as the guest's own writes would be.
bool program(const PmuModel& model, PmuState& state, const LogicalControl& wanted) {
    if ((wanted.slots & ~model.slots()) != 0 || (wanted.sampling & ~wanted.slots) != 0)
        return false;
    bool accepted = true;
    const auto write = [&](Register which, std::uint64_t value) {
        const Write done = write_register(model, state, which, value, Privilege::kernel);
        accepted = accepted && done.outcome == Outcome::done;
    };
    for_each_slot(wanted.slots & model.selectable(), [&](Slot slot) {
        write({RegisterKind::selector, slot}, wanted.selector[slot]);
    });
    for_each_slot(wanted.sampling, [&](Slot slot) {
        write({RegisterKind::counter, slot}, wanted.value[slot]);
    });
    if (model.has_control()) write({RegisterKind::control, 0}, wanted.control);
    state.enable = wanted.slots;
    state.interrupt_enable = model.is_arm() ? wanted.sampling : 0;
    state.overflow = 0;
    return accepted;
}

}  // namespace

bool fits(const Vcpu& vcpu, const LogicalControl& wanted) {
    PmuState trial = reset_state(vcpu.model());
    return program(vcpu.model(), trial, wanted);
}

void take_control(Vcpu& vcpu, const LogicalControl& wanted) {
    (void)program(vcpu.model(), vcpu.guest, wanted);
    vcpu.logical.control = wanted;
    vcpu.refresh();
}

}  // namespace ringside::vpmu
