#include "vpmu/legacy.h"

#include "vpmu/page_index.h"

namespace ringside::vpmu {

HostEventRequest backing_request(const Vcpu& vcpu, const PmuModel& host, Slot slot) {
    const Event event = event_of(vcpu.model(), vcpu.guest, slot);
    return {.event = event,
            .allowed = allowed_slots(host, event),
            .task = vcpu.task,
            .pinned = true,
            .in_guest = true,
            .in_host = false};
}

bool is_software(const Vcpu& vcpu, Slot slot) {
    if (!vcpu.model().is_arm() || slot == arm_cycle_slot) return false;
    const auto select = event_of(vcpu.model(), vcpu.guest, slot).select;
    return select == arm::event_software_increment || select == arm::event_chain;
}

void say_starved(Vcpu& vcpu, Mask starved, std::uint64_t now_ns) {
    if (starved == vcpu.starved) return;
    const std::uint64_t lasted_ns = vcpu.starved != 0 ? now_ns - vcpu.starved_since_ns : 0;
    vcpu.starved = starved;
    vcpu.starved_since_ns = now_ns;
    if (vcpu.page == nullptr) return;
    const PageUpdate update(vcpu.page->sequence);
    vcpu.page->starved = page_mask(vcpu.model(), starved);
    vcpu.page->starved_ns += lasted_ns;
}

void show_starvation(Vcpu& vcpu, const HostEvents& events, std::uint64_t now_ns) {
    if (!is_backed_by_host(vcpu.vm->policy)) return;
    Mask starved = 0;
    for_each_slot(vcpu.active, [&](Slot slot) {
        if (is_software(vcpu, slot)) return;
        const EventId id = vcpu.backing[slot].id;
        if (id == no_event || events.at(id).state != HostEventState::active) starved |= bit(slot);
    });
    say_starved(vcpu, starved, now_ns);
}

}  // namespace ringside::vpmu
