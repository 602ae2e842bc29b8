// The legacy policy: each counter the guest believes to run is backed by a pinned host event that
// follows the vCPU's thread. Where the host's scheduler finds no counter, the guest reads a value
// that stands still; KVM keeps silent about it, the shared page says so.
#pragma once

#include "vpmu/host_counters.h"

namespace ringside::vpmu {

HostEventRequest backing_request(const Vcpu& vcpu, const PmuModel& host, Slot slot);

// Says on the page which counters the guest wrongly believes to run.
void say_starved(Vcpu& vcpu, Mask starved, std::uint64_t now_ns);
void show_starvation(Vcpu& vcpu, const HostEvents& events, std::uint64_t now_ns);

// SW_INCR and CHAIN are counted by advance(), never by hardware.
bool is_software(const Vcpu& vcpu, Slot slot);

template <Hardware Hw>
void drop_backing(Vcpu& vcpu, HostCounters<Hw>& host) {
    for_each_slot(vcpu.model().slots(), [&](Slot slot) {
        if (vcpu.backing[slot].id != no_event) host.forget(vcpu.backing[slot].id);
        vcpu.backing[slot].id = no_event;
    });
    host.replan();
    say_starved(vcpu, 0, host.now_ns());
}

// After a guest's write: events for the counters that run now, none for the others. An event whose
// meaning did not change keeps its counter, and its error.
template <Hardware Hw>
void update_backing(Vcpu& vcpu, HostCounters<Hw>& host) {
    const PmuModel& model = vcpu.model();
    bool replan = false;
    for_each_slot(model.slots(), [&](Slot slot) {
        Backing& backing = vcpu.backing[slot];
        const bool wanted = (vcpu.active >> slot & 1) != 0 && !is_software(vcpu, slot);
        const Event event = event_of(model, vcpu.guest, slot);
        if (backing.id != no_event && wanted && backing.event == event) {
            return host.rearm(backing.id);
        }
        if (backing.id == no_event && !wanted) return;
        if (backing.id != no_event) host.forget(backing.id);
        backing.id =
            wanted ? host.back(vcpu, slot, backing_request(vcpu, host.model(), slot)) : no_event;
        backing.event = event;
        replan = true;
    });
    if (replan) host.replan();
    show_starvation(vcpu, host.events(), host.now_ns());
}

}  // namespace ringside::vpmu
