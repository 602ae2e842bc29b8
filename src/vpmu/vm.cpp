#include "vpmu/vm.h"

#include "vpmu/bits.h"

namespace ringside::vpmu {

namespace {

using Kind = RegisterKind;

bool is_intel_fixed(const PmuModel& model, Slot slot) {
    return model.architecture == Architecture::intel && model.is_fixed(slot);
}

// SW_INCR and CHAIN are no hardware events and pass any filter, as KVM's documentation has it.
bool permitted(const Vm& vm, const PmuState& state, Slot slot) {
    if (is_intel_fixed(vm.model, slot)) return vm.filter.permits_fixed(slot - first_intel_fixed);
    const Event event = event_of(vm.model, state, slot);
    const bool software = vm.model.is_arm() && (event.select == arm::event_software_increment ||
                                                event.select == arm::event_chain);
    return software || vm.filter.permits(event);
}

// What the hardware gets for a selector that the filter denies: it counts nowhere.
std::uint64_t denied(const PmuModel& model, std::uint64_t selector) {
    if (model.is_arm()) return selector | arm::type_not_kernel | arm::type_not_user;
    return selector & ~x86::select_enable;
}

bool is_selected(const Vcpu& vcpu, Slot slot) {
    const PmuModel& model = vcpu.model();
    if (model.is_arm()) return (vcpu.guest.enable >> slot & 1) != 0;
    if (!is_intel_fixed(model, slot)) return (vcpu.selector[slot] & x86::select_enable) != 0;
    const auto nibble = vcpu.control >> (4 * (slot - first_intel_fixed));
    return (nibble & (x86::fixed_kernel | x86::fixed_user)) != 0;
}

}  // namespace

void Skid::add(std::uint64_t events) {
    ++count;
    total += events;
    if (events < least) least = events;
    if (events > most) most = events;
}

Vcpu::Vcpu(Vm& machine, TaskId thread)
    : vm(&machine), task(thread), guest(reset_state(machine.model)) {
    refresh();
}

void Vcpu::reset() {
    guest = reset_state(vm->model);
    interrupt_pending = false;
    starved = 0;
    refresh();
}

void Vcpu::refresh() {
    const PmuModel& pmu = model();
    const bool in_host = counts_vmm(vm->policy);
    control = guest.control;
    untrapped = pmu.is_arm() && vm->direct && vm->filter.denies_nothing();
    selected = 0;
    filter_seen = vm->filter.generation();
    for_each_slot(pmu.slots(), [&](Slot slot) {
        const bool allowed = permitted(*vm, guest, slot);
        if (is_intel_fixed(pmu, slot)) {
            if (!allowed) control &= ~(std::uint64_t{0xf} << (4 * (slot - first_intel_fixed)));
        } else {
            const std::uint64_t wanted = guest.selector[slot];
            selector[slot] = gated(pmu, allowed ? wanted : denied(pmu, wanted), true, in_host);
        }
        if (allowed && is_selected(*this, slot)) selected |= bit(slot);
    });
    update_active();
    chained = 0;
    if (!vm->emulates_chain) return;
    for_each_slot(active, [&](Slot slot) {
        if (is_chained(pmu, guest, slot)) chained |= bit(slot);
    });
}

void Vcpu::update_active() {
    const bool running = !model().is_arm() || (guest.control & arm::pmcr_enable) != 0;
    active = running ? selected & guest.enable : 0;
}

void Vcpu::follow_guest() {
    if (untrapped) {
        control = guest.control;
        selected = guest.enable;
        for_each_slot(model().slots(), [&](Slot slot) { selector[slot] = guest.selector[slot]; });
    }
    update_active();
}

bool Vcpu::wants_interrupt() const {
    const bool level = model().is_arm() && !is_logical(vm->policy);
    return level ? interrupt_level(model(), guest) : interrupt_pending;
}

std::uint64_t gated(const PmuModel& model, std::uint64_t selector, bool in_guest, bool in_host) {
    if (model.architecture == Architecture::amd) {
        selector &= ~(x86::amd_guest_only | x86::amd_host_only);
        if (in_guest && !in_host) return selector | x86::amd_guest_only;
        if (in_host && !in_guest) return selector | x86::amd_host_only;
        return selector;
    }
    if (model.is_arm()) {
        // The VMM's work is the kernel's kind of work: an event that leaves out the kernel leaves
        // out the VMM too, as it does on x86.
        selector &= ~arm::type_hypervisor;
        if (in_host && (selector & arm::type_not_kernel) == 0) selector |= arm::type_hypervisor;
        if (!in_guest) selector |= arm::type_not_kernel | arm::type_not_user;
    }
    return selector;
}

bool sees_whole_pmu(const PmuModel& guest, const PmuModel& host) {
    return guest.architecture == host.architecture && guest.slots() == host.slots() &&
           guest.width_bits == host.width_bits && guest.fixed_width_bits == host.fixed_width_bits;
}

namespace {

// Has the guest the registers in its hands at all? A lazy guest only while they are loaded.
bool holds_registers(const Vcpu& vcpu, const PmuModel& host) {
    const Policy policy = vcpu.vm->policy;
    if (!lends_registers(policy)) return false;
    if (is_lazy(policy) && vcpu.resident_on == no_cpu) return false;
    if (host.is_arm()) {
        // The host's view needs every write of a counter, and NSH must not show in PMEVTYPER.
        const bool hidden = host_sees_totals(policy) || counts_vmm(policy);
        return vcpu.untrapped && !hidden && sees_whole_pmu(vcpu.model(), host);
    }
    return sees_whole_pmu(vcpu.model(), host);
}

}  // namespace

DirectRegisters direct_registers(const Vcpu& vcpu, const PmuModel& host) {
    if (!holds_registers(vcpu, host)) return {.counters = vcpu.selected};
    const bool few = is_lazy(vcpu.vm->policy) && !host.is_arm();
    return {.counters = few ? vcpu.selected : vcpu.model().slots(),
            .held = true,
            .enable = !vcpu.parked,
            .all = host.is_arm()};
}

bool intercepts(const Vcpu& vcpu, const PmuModel& host, Register which, bool writes) {
    if (which.kind == Kind::none) return true;
    if (is_logical(vcpu.vm->policy)) return which.kind != Kind::counter_read;
    if (!holds_registers(vcpu, host)) return true;
    if (host.is_arm()) return false;
    switch (which.kind) {
        case Kind::selector:
        case Kind::control:
            return true;  // the filter stands there
        case Kind::counter:
        case Kind::counter_low:
            if (!writes) return false;
            if (host_sees_totals(vcpu.vm->policy)) return true;
            return is_lazy(vcpu.vm->policy) && (vcpu.selected >> which.slot & 1) == 0;
        default:
            return false;
    }
}

void begin_view(Vcpu& vcpu) {
    for_each_slot(vcpu.model().slots(),
                  [&](Slot slot) { vcpu.view_base[slot] = vcpu.guest.counter[slot]; });
}

namespace {

void add_to_view(Vcpu& vcpu, const Event& event, std::uint64_t counted) {
    for (unsigned i = 0; i < vcpu.view_entries; ++i) {
        if (!vcpu.view[i].event.same_event(event)) continue;
        vcpu.view[i].total += counted;
        return;
    }
    if (vcpu.view_entries == max_view_entries) {
        vcpu.view_overflow += counted;
        return;
    }
    vcpu.view[vcpu.view_entries++] = {event, counted};
}

}  // namespace

void end_view(Vcpu& vcpu) {
    for_each_slot(vcpu.model().slots(), [&](Slot slot) {
        const std::uint64_t counted =
            (vcpu.guest.counter[slot] - vcpu.view_base[slot]) & vcpu.model().value_mask(slot);
        if (counted != 0) add_to_view(vcpu, event_of(vcpu.model(), vcpu.guest, slot), counted);
    });
}

bool host_view(const Vcpu* const* vcpus, unsigned count, const Event& event, std::uint64_t& total) {
    std::uint64_t sum = 0;
    bool found = false;
    for (unsigned i = 0; i < count; ++i) {
        const Vcpu& vcpu = *vcpus[i];
        if (!vcpu.vm->consents || !host_sees_totals(vcpu.vm->policy)) return false;
        for (unsigned k = 0; k < vcpu.view_entries; ++k) {
            if (!vcpu.view[k].event.same_event(event)) continue;
            sum += vcpu.view[k].total;
            found = true;
        }
    }
    if (found) total = sum;
    return found;
}

}  // namespace ringside::vpmu
