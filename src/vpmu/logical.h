// The paravirtual policy, hypervisor's half (perfctr-xen, VEE 2011): the guest configures counters
// with one hypercall, and reads them itself. A vCPU's own count is sum + (phys - start); counters
// that only accumulate are never written at a switch, those that sample are saved and restored.
// threads.h is the guest kernel's half.
#pragma once

#include "vpmu/page_writer.h"
#include "vpmu/vm.h"
#include "vpmu/world_switch.h"

namespace ringside::vpmu {

// Could this guest program its PMU so? Reserved bits and missing counters are refused whole.
bool fits(const Vcpu& vcpu, const LogicalControl& wanted);
// Takes the configuration into the vCPU's state; the registers follow at resume_logical().
void take_control(Vcpu& vcpu, const LogicalControl& wanted);

// `fresh`: another machine's counts are in the counters, and this guest can read them raw.
template <Hardware Hw>
void resume_logical(Registers<Hw>& hw, Vcpu& vcpu, bool fresh) {
    const LogicalControl& control = vcpu.logical.control;
    set_enables(hw, 0, 0);
    if (fresh) {
        for_each_slot(vcpu.model().slots() & ~control.sampling, [&](Slot slot) {
            if (hw.held().counter[slot] != 0 || (control.slots >> slot & 1) != 0) {
                hw.set_counter(slot, 0);
            }
        });
    }
    for_each_slot(control.slots, [&](Slot slot) {
        const bool selectable = (vcpu.model().selectable() >> slot & 1) != 0;
        if (selectable && hw.held().selector[slot] != vcpu.selector[slot]) {
            hw.set_selector(slot, vcpu.selector[slot]);
        }
        if ((control.sampling >> slot & 1) != 0) {
            hw.set_counter(slot, vcpu.guest.counter[slot]);
            vcpu.logical.start[slot] = vcpu.guest.counter[slot];
        } else {
            vcpu.logical.start[slot] = fresh ? 0 : hw.counter(slot);
        }
    });
    // A counter that only accumulates may have wrapped unseen; that must not look like a sample.
    if (control.sampling != 0) hw.change_overflow(hw.overflow(), vcpu.guest.overflow);
    if (vcpu.model().has_control() && hw.held().control != vcpu.control) {
        hw.set_control(vcpu.control);
    }
    if (vcpu.model().is_arm() && hw.held().interrupt_enable != vcpu.guest.interrupt_enable) {
        hw.set_interrupt_enable(vcpu.guest.interrupt_enable);
    }
    set_enables(hw, vcpu.guest.enable, 0);
    publish(vcpu, true, hw.now_ns());
}

// A new overflow becomes a virtual interrupt that stays pending until the guest took it; only
// counters that sample can interrupt, the others wrap inside sum + (phys - start).
template <Hardware Hw>
void take_logical_overflow(Registers<Hw>& hw, Vcpu& vcpu) {
    (void)hw.take_interrupt();
    const LogicalControl& control = vcpu.logical.control;
    if (control.sampling == 0) return;
    const Mask overflowed = hw.overflow();
    hw.change_overflow(overflowed, 0);
    vcpu.guest.overflow |= overflowed & control.sampling;
    if ((overflowed & control.sampling) != 0) vcpu.interrupt_pending = true;
}

template <Hardware Hw>
void suspend_logical(Registers<Hw>& hw, Vcpu& vcpu) {
    const LogicalControl& control = vcpu.logical.control;
    set_enables(hw, 0, 0);
    for_each_slot(control.slots, [&](Slot slot) {
        const std::uint64_t now = hw.counter(slot);
        vcpu.logical.sum[slot] += (now - vcpu.logical.start[slot]) & vcpu.model().value_mask(slot);
        if ((control.sampling >> slot & 1) != 0) vcpu.guest.counter[slot] = now;
    });
    take_logical_overflow(hw, vcpu);
    publish(vcpu, false, hw.now_ns());
}

}  // namespace ringside::vpmu
