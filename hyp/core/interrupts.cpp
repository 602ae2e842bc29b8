// The machine's interrupts, and which guest they are for.
#include "hyp/arch/gic.h"
#include "hyp/arch/time.h"
#include "hyp/core/hypervisor.h"
#include "hyp/platform/virt.h"

namespace ringside::hyp {

Frame* Hypervisor::on_interrupt(Guest& guest) {
    leave(guest);
    ++guest.exits.interrupt;
    const unsigned interrupt = gic::acknowledge();
    const std::uint64_t overflows_before = host_overflows();
    if (interrupt == platform::pmu_interrupt) {
        ++guest.exits.pmi;
        cpu_.exit(guest.vcpu, vpmu::ExitReason::pmu_interrupt);
    } else {
        cpu_.exit(guest.vcpu, vpmu::ExitReason::other);
    }
    if (host_overflows() != overflows_before) {
        samples_[sample_count_++ % max_host_samples] = {guest.vmid - 1, guest.frame.pc};
    }
    if (interrupt < gic::no_interrupt) serve(interrupt);
    return go_on();
}

// The PMU's interrupt while no guest runs: a host event's, or late for the guest that waits.
void Hypervisor::note_pmu_interrupt() {
    if (cpu_.resident() == nullptr) {
        cpu_.host_interrupt();
    } else {
        cpu_.late_guest_interrupt();
    }
}

// Drops the priority of each; whether it stays active depends on who will handle it.
void Hypervisor::serve(unsigned interrupt) {
    gic::drop_priority(interrupt);
    switch (interrupt) {
        case platform::virtual_timer_interrupt:
            current_->gic.raise_physical(interrupt);
            return;  // the guest deactivates it
        case platform::pmu_interrupt:
            if (vpmu::direct_registers(current_->vcpu, promised_).all) {
                current_->gic.raise_physical(interrupt);
                return;
            }
            pmu_interrupt_held_ = level_is_loaded();
            if (pmu_interrupt_held_) return;
            break;
        case platform::hypervisor_timer_interrupt:
            slice_is_over_ = true;
            clear_alarm();
            if (manifest_.host_event_count != 0) cpu_.rotate_host_events();
            break;
        default:
            if (interrupt >= 32 && device_owner_ != nullptr) {
                device_owner_->gic.raise_physical(interrupt);
                return;
            }
            break;
    }
    gic::deactivate(interrupt);
}

// What the owner of the devices writes about device interrupts holds for the physical controller
// too; our own interrupts are private, and out of its reach.
void Hypervisor::follow_distributor(const Guest& guest, std::uint64_t offset) {
    if (!guest.spec.devices) return;
    if (offset >= 0x100 && offset < 0x200) {
        const auto word = static_cast<unsigned>(offset % 0x80) / 4;
        if (word >= 1 && word < max_interrupts / 32) {
            gic::enable_devices(word, guest.gic.enabled(word));
        }
    }
    if (offset >= 0xc00 && offset < 0xd00) {
        const auto first = static_cast<unsigned>(offset - 0xc00) / 4 * 16;
        for (unsigned i = first; i >= 32 && i < first + 16 && i < max_interrupts; ++i) {
            gic::set_edge_triggered(i, guest.gic.is_edge_triggered(i));
        }
    }
}

std::uint64_t Hypervisor::host_overflows() const {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < manifest_.host_event_count; ++i) {
        if (host_event_ids_[i] != vpmu::no_event) {
            sum += cpu_.host_event(host_event_ids_[i]).overflows;
        }
    }
    return sum;
}

}  // namespace ringside::hyp
