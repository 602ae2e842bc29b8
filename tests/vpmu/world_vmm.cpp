// World: what a VMM does besides entries and exits.
#include <algorithm>

#include "world.h"

namespace ringside::vpmu::proof {

// What the IPI does in a real VMM.
void World::pull(Guest& guest) {
    const CpuId holder = guest.vcpu->resident_on;
    if (holder != no_cpu) processors_[holder].cpu->release(*guest.vcpu);
}

void World::emulate(unsigned cpu) {
    Processor& on = processors_[cpu];
    if (!on.in_guest) return;
    Guest& guest = guest_on(on);
    leave(cpu, ExitReason::other);
    lab::Occurrence what = palette_[random_.below(2)];
    what.events = random_.below(1500) + 1;
    const Event event{what.select, what.umask};
    // Emulation counts what the guest sees; the hardware does not count it, nor does a filter or
    // the lack of a host counter keep a software count from being right.
    update_denied(guest);
    guest.truth->deny(guest.truth->denied() & ~guest.vcpu->starved);
    run_truth(guest, Mode::guest_kernel, std::span(&what, 1));
    on.cpu->count_emulated(*guest.vcpu, event, Privilege::kernel, what.events);
    check_interrupt(guest);
    enter(cpu);
}

void World::change_filter(unsigned machine) {
    const auto& events = palette_;
    std::vector<FilterEntry> entries;
    denied_[machine].clear();
    for (const auto& what : events) {
        if (!random_.one_in(3) || what.select == 0) continue;
        entries.push_back({what.select, 0, 0, false});
        denied_[machine].push_back(what.select);
    }
    (void)machines_[machine]->filter.deny(entries.data(), entries.size(), 0);
    // A machine that runs is asked to leave, so that the change is in force at its next entry.
    for (unsigned c = 0; c < processors_.size(); ++c) {
        Processor& on = processors_[c];
        if (on.guest < 0 || guest_on(on).machine != machine) continue;
        if (on.in_guest) leave(c, random_.one_in(2) ? ExitReason::fast : ExitReason::other);
        enter(c);
    }
}

// To another host and into a fresh vCPU: nothing but the snapshot survives.
void World::migrate(unsigned vcpu) {
    Guest& guest = guests_[vcpu];
    if (guest.cpu >= 0) return;
    pull(guest);
    for (Processor& on : processors_) on.cpu->forget(*guest.vcpu);
    const Snapshot snapshot = save(*guest.vcpu);
    auto arrived = std::make_unique<Vcpu>(*guest.vcpu->vm, guest.vcpu->task);
    const Refusal refusal = restore(*arrived, snapshot, setup_.host);
    if (refusal != Refusal::none) return fail("restore_is_identity", to_text(refusal));
    const bool same = arrived->guest == guest.vcpu->guest &&
                      save(*arrived).state == snapshot.state &&
                      arrived->interrupt_pending == guest.vcpu->interrupt_pending;
    if (!same) fail("restore_is_identity", "the restored state differs from the saved one");
    arrived->page = guest.vcpu->page;
    // The host's view stays with the host.
    arrived->view_entries = guest.vcpu->view_entries;
    std::copy(std::begin(guest.vcpu->view), std::end(guest.vcpu->view), arrived->view);
    guest.vcpu = std::move(arrived);
    check_memory(guest);
}

void World::inject(unsigned cpu) {
    Processor& on = processors_[cpu];
    if (on.guest < 0) return;
    Guest& guest = guest_on(on);
    if (!guest.vcpu->wants_interrupt() || setup_.host.is_arm()) return;
    guest.vcpu->interrupt_injected();
    (void)guest.truth->take_interrupt();
}

}  // namespace ringside::vpmu::proof
