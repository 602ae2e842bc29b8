// Cpu<>: entries, exits, vCPU switches and trapped accesses. Included by cpu.h.
#pragma once

#include "vpmu/cpu.h"

namespace ringside::vpmu {

template <Hardware Hw>
bool Cpu<Hw>::sched_in(Vcpu& v) {
    if (v.resident_on != no_cpu && v.resident_on != id_) return false;
    if (filter_changed(v)) adopt_filter(v);
    v.residence = residence_of(v.vm->policy, model());
    scheduled_ = &v;
    if (v.residence == Residence::while_scheduled) {
        take(v);
        return true;
    }
    give_to_host(v.task);
    if (is_backed_by_host(v)) changed(v, 0);
    return true;
}

// A change of the filter is in force before the guest runs again.
template <Hardware Hw>
void Cpu<Hw>::adopt_filter(Vcpu& v) {
    bring_up_to_date(v);
    changed(v, 0);
}

template <Hardware Hw>
void Cpu<Hw>::sched_out(Vcpu& v) {
    if (!is_lazy(v) && !is_backed_by_host(v)) unload(v);
    scheduled_ = nullptr;
    if (is_backed_by_host(v)) show(v);
    give_to_host(whole_cpu);
}

template <Hardware Hw>
void Cpu<Hw>::enter(Vcpu& v) {
    if (filter_changed(v)) adopt_filter(v);
    switch (v.residence) {
        case Residence::never:
        case Residence::while_scheduled:
            break;
        case Residence::while_in_guest:
        case Residence::until_slow_exit:
            if (resident_ != &v) take(v);
            break;
        case Residence::until_needed:
            enter_lazily(v);
            break;
    }
}

template <Hardware Hw>
void Cpu<Hw>::exit(Vcpu& v, ExitReason why) {
    switch (v.residence) {
        case Residence::never:
            if (why == ExitReason::pmu_interrupt) host_interrupt();
            return;
        case Residence::while_scheduled:
            break;
        case Residence::until_slow_exit:
            if (why == ExitReason::fast) return;
            unload(v);
            break;
        case Residence::while_in_guest:
            unload(v);
            break;
        case Residence::until_needed:
            if (why == ExitReason::fast) return;
            if (resident_ == &v && host_wants(v.task)) unload(v);
            break;
    }
    if (why == ExitReason::pmu_interrupt) guest_overflowed(v);
    if (host_wanted_ && resident_ == nullptr) give_to_host(v.task);
}

// Clears the way, then loads. Exactly one owner: the host, or one vCPU.
template <Hardware Hw>
void Cpu<Hw>::take(Vcpu& v) {
    if (resident_ != nullptr) unload(*resident_);
    host_.suspend();
    resident_ = &v;
    v.resident_on = id_;
    if (is_logical(v)) return load_logical(v);
    if (host_sees_totals(v.vm->policy)) begin_view(v);
    is_lazy(v) ? apply(registers_, v) : load(registers_, v);
    show(v);
}

template <Hardware Hw>
void Cpu<Hw>::load_logical(Vcpu& v) {
    resume_logical(registers_, v, last_logical_ != v.vm);
    last_logical_ = v.vm;
}

// Only a vCPU that counts needs the hardware. What another lazy one left there is stopped.
template <Hardware Hw>
void Cpu<Hw>::enter_lazily(Vcpu& v) {
    if (resident_ == &v) {
        if (v.parked) unpark(v);
    } else if (v.active != 0) {
        take(v);
    } else if (resident_ != nullptr && !resident_->parked) {
        park(*resident_);
    }
}

// Stops a lazy vCPU's counters and leaves them where they are.
template <Hardware Hw>
void Cpu<Hw>::park(Vcpu& v) {
    if (direct_registers(v, model()).enable) v.guest.enable = registers_.enable();
    set_enables(registers_, 0, 0);
    v.follow_guest();
    v.parked = true;
    show(v);
}

template <Hardware Hw>
void Cpu<Hw>::unpark(Vcpu& v) {
    set_enables(registers_, v.guest.enable & loaded_slots(v, model()), 0);
    v.parked = false;
    show(v);
}

template <Hardware Hw>
void Cpu<Hw>::release(Vcpu& v) {
    unload(v);
    give_to_host(scheduled_ != nullptr ? scheduled_->task : whole_cpu);
}

template <Hardware Hw>
void Cpu<Hw>::unload(Vcpu& v) {
    if (is_backed_by_host(v)) {
        bring_up_to_date(v);
        drop_backing(v, host_);
        v.resident_on = no_cpu;
    }
    if (resident_ != &v) return;
    if (is_logical(v)) {
        suspend_logical(registers_, v);
    } else if (is_lazy(v)) {
        capture(registers_, v);
        set_enables(registers_, 0, 0);
        v.parked = false;
    } else {
        put(registers_, v);
        last_logical_ = nullptr;
    }
    if (host_sees_totals(v.vm->policy)) end_view(v);
    resident_ = nullptr;
    v.resident_on = no_cpu;
    last_released_ = &v;
    show(v);
}

template <Hardware Hw>
void Cpu<Hw>::bring_up_to_date(Vcpu& v) {
    if (is_backed_by_host(v)) {
        if (v.resident_on != id_) return;
        host_.service_overflow();
        host_.sync();
    } else if (resident_ == &v && !is_logical(v)) {
        capture(registers_, v);
    }
    show(v);
}

// The guest's state changed in memory; the hardware follows.
template <Hardware Hw>
void Cpu<Hw>::changed(Vcpu& v, Mask overflowed) {
    if (!v.model().is_arm() && (overflowed & interrupting(v.model(), v.guest)) != 0) {
        v.interrupt_pending = true;
    }
    v.refresh();
    if (is_backed_by_host(v)) {
        update_backing(v, host_);
        v.resident_on = v.active != 0 ? id_ : no_cpu;
        host_wanted_ = !host_.events().is_empty();
    } else if (resident_ == &v && is_logical(v)) {
        load_logical(v);
    } else if (resident_ == &v) {
        apply(registers_, v);
        v.parked = false;
    }
    show(v);
}

template <Hardware Hw>
Access Cpu<Hw>::read(Vcpu& v, Register which, Privilege privilege) {
    if (is_logical(v)) return {};
    bring_up_to_date(v);
    return read_register(v.model(), v.guest, which, privilege);
}

template <Hardware Hw>
Outcome Cpu<Hw>::write(Vcpu& v, Register which, std::uint64_t value, Privilege privilege) {
    if (is_logical(v)) return Outcome::undefined;
    bring_up_to_date(v);
    const Write done = write_register(v.model(), v.guest, which, value, privilege);
    if (done.outcome == Outcome::done) changed(v, done.overflowed);
    return done.outcome;
}

template <Hardware Hw>
void Cpu<Hw>::count_emulated(Vcpu& v, const Event& event, Privilege privilege,
                             std::uint64_t events) {
    if (is_logical(v) && resident_ == &v) suspend_logical(registers_, v);
    bring_up_to_date(v);
    const bool viewed = host_sees_totals(v.vm->policy) && resident_ != &v;
    if (viewed) begin_view(v);
    Mask overflowed = 0;
    for_each_slot(v.active, [&](Slot slot) {
        const Event counted = event_of(v.model(), v.guest, slot);
        const bool level = privilege == Privilege::user ? counted.user : counted.kernel;
        if (!level || !counted.same_event(event)) return;
        v.logical.sum[slot] += events;
        const bool only_sums = is_logical(v) && (v.logical.control.sampling >> slot & 1) == 0;
        if (!only_sums) overflowed |= advance(v.model(), v.guest, slot, events);
    });
    if (viewed) end_view(v);
    changed(v, overflowed);
}

template <Hardware Hw>
bool Cpu<Hw>::configure(Vcpu& v, const LogicalControl& wanted) {
    if (!is_logical(v) || !fits(v, wanted)) return false;
    if (resident_ == &v) suspend_logical(registers_, v);
    take_control(v, wanted);
    if (resident_ == &v) load_logical(v);
    return true;
}

template <Hardware Hw>
void Cpu<Hw>::guest_overflowed(Vcpu& v) {
    if (resident_ == &v && is_logical(v)) return take_logical_overflow(registers_, v);
    if (resident_ == &v) {
        capture(registers_, v);
        show(v);
    }
    for_each_slot(v.guest.overflow & interrupting(v.model(), v.guest), [&](Slot slot) {
        v.skid.add(v.guest.counter[slot] & low_bits(overflow_bits(v.model(), v.guest, slot)));
    });
}

}  // namespace ringside::vpmu
