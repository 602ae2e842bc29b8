// Who runs next, and what changes hands when another guest does.
#include <new>

#include "hyp/arch/gic.h"
#include "hyp/arch/time.h"
#include "hyp/core/hypervisor.h"
#include "hyp/platform/console.h"
#include "hyp/platform/virt.h"
#include "vpmu/admission.h"
#include "vpmu/bits.h"

namespace ringside::hyp {

namespace {

// A guest with the registers in its hands could reach the spares: there are none then.
bool wants_spares(const Manifest& manifest) {
    for (unsigned i = 0; i < manifest.guest_count; ++i) {
        if (manifest.guests[i].direct) return false;
    }
    return loses_overflows(HYP_READ(midr_el1));
}

}  // namespace

Hypervisor::Hypervisor(const Manifest& manifest)
    : manifest_(manifest),
      spares_(wants_spares(manifest) ? Pmu::model().general_count() / 2 : 0),
      promised_(spares_ == 0 ? Pmu::model() : without_spares(Pmu::model())),
      counters_(pmu_, spares_),
      cpu_(counters_, promised_, 0),
      list_registers_(gic::list_register_count()) {}

bool Hypervisor::add_guest(const GuestSpec& spec, void* storage, TablePool& pool) {
    auto* guest = new (storage) Guest(*this, spec, guest_count_, promised_, pool);
    guests_[guest_count_++] = guest;
    if (spec.devices) device_owner_ = guest;
    return guest->map_memory();
}

// An event that would count a machine whose policy hides it counts EL2 alone; one that asks for
// nothing else is refused.
void Hypervisor::add_host_events() {
    vpmu::Admission admission;
    for (unsigned i = 0; i < guest_count_; ++i) {
        (void)admission.admit_machine(guests_[i]->spec.policy);
    }
    for (unsigned i = 0; i < manifest_.host_event_count; ++i) {
        vpmu::HostEventRequest request = manifest_.host_events[i];
        host_event_ids_[i] = vpmu::no_event;
        if (!admission.admit_event(request)) request.in_guest = false;
        if (!request.in_guest && !request.in_host) continue;
        request.allowed = vpmu::allowed_slots(promised_, request.event);
        host_event_ids_[i] = cpu_.add_host_event(request);
    }
}

Frame* Hypervisor::start() {
    left_guest_ticks_ = now_ticks();
    end_ticks_ = left_guest_ticks_ + us_to_ticks(manifest_.limit_ms * 1000);
    print_line("hyp: start guests=", guest_count_, " counters=", promised_.general_count(),
               " spares=", spares_, " list_registers=", list_registers_);
    return go_on();
}

// Everything the hardware knows of the guest's interrupts is in memory afterwards.
void Hypervisor::leave(Guest& guest) {
    left_guest_ticks_ = now_ticks();
    pmu_.leave_guest();
    gic::save_list_registers(guest.lists);
    guest.gic.take(guest.lists);
}

Frame* Hypervisor::go_on() {
    if (current_ == nullptr || slice_is_over_ || !can_run(*current_)) switch_to(pick());
    enter(*current_);
    return &current_->frame;
}

bool Hypervisor::can_run(const Guest& guest) const {
    if (guest.state == GuestState::ready) return true;
    if (guest.state != GuestState::waiting) return false;
    if (guest.gic.has_deliverable()) return true;
    return &guest != current_ && guest.context.timer_is_armed() &&
           guest.context.cntv_cval_el0 <= now_ticks();
}

bool Hypervisor::is_over() const {
    bool all = true;
    for (unsigned i = 0; i < guest_count_; ++i) {
        if (guests_[i]->is_over() && guests_[i]->spec.leads) return true;
        all = all && guests_[i]->is_over();
    }
    return all;
}

// The next one after the current, in the order of the manifest.
Guest& Hypervisor::pick() {
    for (;;) {
        if (is_over()) finish("done");
        if (now_ticks() >= end_ticks_) finish("limit");
        unsigned first = 0;
        while (first < guest_count_ && guests_[first] != current_) ++first;
        for (unsigned i = 1; i <= guest_count_; ++i) {
            Guest& guest = *guests_[(first + i) % guest_count_];
            if (can_run(guest)) return guest;
        }
        idle();
    }
}

void Hypervisor::idle() {
    std::uint64_t wake = end_ticks_;
    for (unsigned i = 0; i < guest_count_; ++i) {
        const Guest& guest = *guests_[i];
        const bool waits = guest.state == GuestState::waiting && &guest != current_;
        if (!waits || !guest.context.timer_is_armed()) continue;
        if (guest.context.cntv_cval_el0 < wake) wake = guest.context.cntv_cval_el0;
    }
    set_alarm(wake);
    const std::uint64_t before = now_ticks();
    wait_for_interrupt();
    left_guest_ticks_ += now_ticks() - before;  // that was no work
    // One at a time: who looks for a guest looks at the clock, too.
    const unsigned interrupt = gic::acknowledge();
    if (interrupt >= gic::no_interrupt) return;
    if (interrupt == platform::pmu_interrupt) note_pmu_interrupt();
    serve(interrupt);
}

// A timer or PMU interrupt that the guest is handling stays active in the physical controller, but
// only while the guest has the CPU: another guest has timers too.
void Hypervisor::keep_physical_interrupts(const Guest& guest, bool active) {
    for (const unsigned interrupt : {platform::virtual_timer_interrupt, platform::pmu_interrupt}) {
        if (guest.gic.holds_physical(interrupt)) gic::set_active(interrupt, active);
    }
}

void Hypervisor::switch_to(Guest& next) {
    slice_is_over_ = false;
    set_slice_alarm();
    next.state = GuestState::ready;
    if (current_ == &next) return;
    ++switches_;
    ++next.slices;
    if (current_ != nullptr) {
        cpu_.sched_out(current_->vcpu);
        current_->context.save();
        keep_physical_interrupts(*current_, false);
    }
    current_ = &next;
    use_stage2(next.memory.vttbr(next.vmid));
    trap_identification(!next.has_pmu_registers());
    next.context.load();
    keep_physical_interrupts(next, true);
    (void)cpu_.sched_in(next.vcpu);  // there is one CPU: nothing can be left on another
}

void Hypervisor::set_slice_alarm() {
    const std::uint64_t slice_end = now_ticks() + us_to_ticks(manifest_.slice_us);
    const bool alone = guest_count_ == 1 || slice_end > end_ticks_;
    set_alarm(alone ? end_ticks_ : slice_end);
}

// Does a guest whose counters are loaded want the PMU's interrupt? Then the hardware does too.
bool Hypervisor::level_is_loaded() const {
    const vpmu::Vcpu* resident = cpu_.resident();
    return resident != nullptr && !vpmu::is_logical(resident->vm->policy) &&
           resident->wants_interrupt();
}

// A level that a guest has not yet answered stays high in the hardware; the physical interrupt is
// kept active meanwhile, so that it does not come again and again.
void Hypervisor::hold_pmu_interrupt(const Guest& guest, bool direct) {
    const bool guest_handles_it = direct && cpu_.resident() == &guest.vcpu;
    const bool hold = !guest_handles_it && level_is_loaded();
    if (hold == pmu_interrupt_held_) return;
    pmu_interrupt_held_ = hold;
    const bool guest_holds_it = guest.gic.holds_physical(platform::pmu_interrupt);
    gic::set_active(platform::pmu_interrupt, hold || guest_holds_it);
}

void Hypervisor::enter(Guest& guest) {
    guest.state = GuestState::ready;
    vpmu::Vcpu& vcpu = guest.vcpu;
    cpu_.enter(vcpu);
    const bool direct = vpmu::direct_registers(vcpu, promised_).all;
    hold_pmu_interrupt(guest, direct);
    const bool paravirtual = !guest.has_pmu_registers();
    if (paravirtual && vcpu.interrupt_pending) {
        guest.gic.send(platform::pmu_interrupt);
        vcpu.interrupt_injected();
    } else if (!paravirtual) {
        guest.gic.set_level(platform::pmu_interrupt, !direct && vcpu.wants_interrupt());
    }
    guest.gic.fill(guest.lists, list_registers_);
    gic::load_list_registers(guest.lists);
    // A paravirtual guest's programs read counters themselves.
    namespace arm = vpmu::arm;
    const std::uint64_t readable = paravirtual ? arm::user_cycles | arm::user_events : 0;
    pmu_.let_guest(direct, promised_.general_count(), arm::user_enable | readable);
    own_ticks_ += now_ticks() - left_guest_ticks_;
}

}  // namespace ringside::hyp
