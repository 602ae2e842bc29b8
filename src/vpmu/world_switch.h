// Moving a vCPU's registers between memory and the hardware. load() and put() do what KVM's
// mediated PMU does, move by move; apply() and capture() reach the same ends with as few moves as
// the knowledge of what the hardware holds allows.
#pragma once

#include "vpmu/bits.h"
#include "vpmu/hardware.h"
#include "vpmu/vm.h"

namespace ringside::vpmu {

// Which enable the guest shall run under. Intel swaps it at entry and exit; elsewhere the
// selectors say where a counter counts, and one register serves both.
template <Hardware Hw>
void set_enables(Registers<Hw>& hw, Mask guest, Mask host) {
    if (hw.model().architecture != Architecture::intel) {
        if (hw.held().enable != (guest | host)) hw.set_enable(guest | host);
        return;
    }
    if (hw.held().enable != guest) hw.set_enable(guest);
    if (hw.host_enable() != host) hw.set_host_enable(host);
}

// Nothing counts while this lives; perf's interrupt handler stops the PMU the same way.
template <Hardware Hw>
class Paused {
  public:
    explicit Paused(Registers<Hw>& hw)
        : hw_(hw), guest_(hw.held().enable), host_(hw.host_enable()) {
        set_enables(hw_, 0, 0);
    }
    ~Paused() { set_enables(hw_, guest_, host_); }
    Paused(const Paused&) = delete;
    Paused& operator=(const Paused&) = delete;

  private:
    Registers<Hw>& hw_;
    Mask guest_;
    Mask host_;
};

template <Hardware Hw>
void stop_all(Registers<Hw>& hw) {
    hw.set_enable(0);
    if (hw.model().architecture == Architecture::intel && hw.host_enable() != 0) {
        hw.set_host_enable(0);
    }
}

// A counter whose carries we emulate keeps its overflow bit in memory, and its hardware bit clear,
// so that the next wrap is seen; and it always interrupts.
inline Mask hardware_overflow(const Vcpu& vcpu) {
    return vcpu.guest.overflow & ~vcpu.chained;
}
inline Mask hardware_interrupts(const Vcpu& vcpu) {
    return vcpu.guest.interrupt_enable | vcpu.chained;
}
// Takes over the overflow bits the hardware shows; returns the counters that emulation changed.
inline Mask take_overflow(Vcpu& vcpu, Mask found) {
    vcpu.guest.overflow = found | (vcpu.guest.overflow & vcpu.chained);
    Mask changed = 0;
    for_each_slot(found & vcpu.chained, [&](Slot slot) {
        (void)advance(vcpu.model(), vcpu.guest, slot + 1, 1);
        changed |= bit(slot + 1);
    });
    return changed;
}

// What only Arm has, and only a guest without traps can change unseen.
template <Hardware Hw>
void load_arm_rest(Registers<Hw>& hw, const Vcpu& vcpu) {
    if (!hw.model().is_arm()) return;
    hw.set_interrupt_enable(hardware_interrupts(vcpu));
    if (!direct_registers(vcpu, hw.model()).all) return;
    hw.set_select(vcpu.guest.select);
    hw.set_user_enable(vcpu.guest.user_enable);
}

// KVM's load: everything is stopped first; a counter is written only if the hardware's differs,
// its selector always.
template <Hardware Hw>
void load(Registers<Hw>& hw, Vcpu& vcpu) {
    const PmuModel& model = vcpu.model();
    stop_all(hw);
    hw.load_counters(model.slots(), vcpu.guest.counter, vcpu.selector);
    hw.change_overflow(hw.overflow(), hardware_overflow(vcpu));
    if (model.has_control()) hw.set_control(vcpu.control);
    load_arm_rest(hw, vcpu);
    set_enables(hw, vcpu.guest.enable, 0);
    // Domain switch: the VMM's work on the guest's behalf is counted too.
    if (counts_vmm(vcpu.vm->policy)) hw.keep_guest_enable(true);
}

// An x86 PMI that the hardware has raised belongs to the vCPU whose values were loaded.
template <Hardware Hw>
void claim_interrupt(Registers<Hw>& hw, Vcpu& vcpu) {
    if (hw.take_interrupt()) vcpu.interrupt_pending = true;
}

// The registers a guest without traps may have changed.
template <Hardware Hw>
void read_back_arm(Registers<Hw>& hw, Vcpu& vcpu) {
    vcpu.guest.control = hw.control();
    vcpu.guest.interrupt_enable = hw.interrupt_enable();
    vcpu.guest.select = hw.select();
    vcpu.guest.user_enable = hw.user_enable();
    for_each_slot(vcpu.model().slots(), [&](Slot slot) {
        vcpu.guest.selector[slot] = hw.selector(slot) & arm::type_writable;
    });
}

// Brings memory up to date and leaves the hardware as it is.
template <Hardware Hw>
void capture(Registers<Hw>& hw, Vcpu& vcpu) {
    const DirectRegisters direct = direct_registers(vcpu, hw.model());
    for_each_slot(direct.counters & vcpu.model().slots(),
                  [&](Slot slot) { vcpu.guest.counter[slot] = hw.counter(slot); });
    if (direct.enable) vcpu.guest.enable = hw.enable();
    const Mask found = hw.overflow();
    for_each_slot(take_overflow(vcpu, found),
                  [&](Slot slot) { hw.set_counter(slot, vcpu.guest.counter[slot]); });
    // A carry may have made the odd counter overflow, which the hardware did not see.
    hw.change_overflow(found, hardware_overflow(vcpu));
    if (direct.all) read_back_arm(hw, vcpu);
    claim_interrupt(hw, vcpu);
    if (direct.enable || direct.all) vcpu.follow_guest();
}

// KVM's put: reads everything back and leaves zeros for whoever comes next.
template <Hardware Hw>
void put(Registers<Hw>& hw, Vcpu& vcpu) {
    const PmuModel& model = vcpu.model();
    const DirectRegisters direct = direct_registers(vcpu, hw.model());
    if (direct.enable) vcpu.guest.enable = hw.enable();
    hw.keep_guest_enable(false);
    stop_all(hw);
    if (direct.all) read_back_arm(hw, vcpu);
    hw.put_counters(model.slots(), vcpu.guest.counter);
    const Mask found = hw.overflow();
    (void)take_overflow(vcpu, found);
    hw.change_overflow(found, 0);
    if (model.has_control()) hw.set_control(0);
    claim_interrupt(hw, vcpu);
    if (direct.enable || direct.all) vcpu.follow_guest();
}

// A lazy guest whose every access is trapped sees memory; only what counts must be in the hardware.
// put() reads everything, so the other policies load everything.
inline Mask loaded_slots(const Vcpu& vcpu, const PmuModel& host) {
    const bool everything = !is_lazy(vcpu.vm->policy) || direct_registers(vcpu, host).held;
    return everything ? vcpu.model().slots() : vcpu.selected;
}

// Makes the hardware hold the vCPU's registers, writing only what it does not hold already. What
// another guest left in a counter differs from this guest's value, so it is overwritten too.
template <Hardware Hw>
void apply(Registers<Hw>& hw, Vcpu& vcpu) {
    const PmuState& held = hw.held();
    const PmuModel& model = vcpu.model();
    const Mask selectable = model.selectable();
    const Mask loaded = loaded_slots(vcpu, hw.model());
    for_each_slot(loaded, [&](Slot slot) {
        if (held.counter[slot] != vcpu.guest.counter[slot]) {
            hw.set_counter(slot, vcpu.guest.counter[slot]);
        }
        const bool has_selector = (selectable >> slot & 1) != 0;
        if (has_selector && held.selector[slot] != vcpu.selector[slot]) {
            hw.set_selector(slot, vcpu.selector[slot]);
        }
    });
    hw.change_overflow(held.overflow, hardware_overflow(vcpu));
    if (model.has_control() && held.control != vcpu.control) hw.set_control(vcpu.control);
    if (model.is_arm() && held.interrupt_enable != hardware_interrupts(vcpu)) {
        hw.set_interrupt_enable(hardware_interrupts(vcpu));
    }
    if (direct_registers(vcpu, hw.model()).all) {
        if (held.select != vcpu.guest.select) hw.set_select(vcpu.guest.select);
        if (held.user_enable != vcpu.guest.user_enable) {
            hw.set_user_enable(vcpu.guest.user_enable);
        }
    }
    set_enables(hw, vcpu.guest.enable & loaded, 0);
}

}  // namespace ringside::vpmu
