// What is printed at the end: one line for each guest, event and machine, made of key=value.
#include "hyp/arch/time.h"
#include "hyp/core/hypervisor.h"
#include "hyp/core/power.h"
#include "hyp/platform/console.h"

namespace ringside::hyp {

namespace {

const char* to_text(GuestState state) {
    switch (state) {
        case GuestState::ready:
            return "running";
        case GuestState::waiting:
            return "waiting";
        case GuestState::off:
            return "off";
        case GuestState::stopped:
            return "stopped";
    }
    return "";
}

const char* to_text(vpmu::HostEventState state) {
    switch (state) {
        case vpmu::HostEventState::off:
            return "off";
        case vpmu::HostEventState::waiting:
            return "waiting";
        case vpmu::HostEventState::active:
            return "active";
        case vpmu::HostEventState::error:
            return "error";
    }
    return "";
}

}  // namespace

void Hypervisor::finish(const char* why) {
    if (current_ != nullptr) cpu_.sched_out(current_->vcpu);
    for (unsigned i = 0; i < guest_count_; ++i) {
        cpu_.forget(guests_[i]->vcpu);  // a lazy one may still have its values in the counters
        guests_[i]->console.flush(guests_[i]->spec.name);
        print_guest(*guests_[i]);
    }
    print_host_events();
    const vpmu::Moves& moves = cpu_.moves();
    print_line("hyp: machine switches=", switches_, " register_reads=", moves.reads,
               " register_writes=", moves.writes, " el2_ns=", ticks_to_ns(own_ticks_));
    print_line("hyp: end reason=", why);
    power_off();
}

void Hypervisor::print_guest(const Guest& guest) const {
    print_one("hyp: guest name=");
    print_one(guest.spec.name);
    print_one(" policy=");
    print_one(vpmu::traits_of(guest.spec.policy).name);
    print_one(guest.vcpu.untrapped ? " form=direct" : " form=trapped");
    print_one(" state=");
    print_one(to_text(guest.state));
    if (guest.state == GuestState::stopped) {
        print_one(" reason=");
        print_one(guest.reason);
        print_one(" address=");
        print_one(Hex{guest.where});
    }
    const Exits& exits = guest.exits;
    print_line(" slices=", guest.slices, " exits=", exits.total(), " pmu=", exits.pmu,
               " sysreg=", exits.sysreg, " hypercall=", exits.hypercall,
               " firmware=", exits.firmware, " wait=", exits.wait, " device=", exits.device,
               " forwarded=", exits.forwarded, " interrupt=", exits.interrupt, " pmi=", exits.pmi,
               " undefined=", guest.undefined);
    for (unsigned i = 0; i < guest.spec.window_count; ++i) {
        const WindowSpec& window = guest.spec.windows[i];
        print_line("hyp: window guest=", guest.spec.name, " name=", window.name,
                   " loads=", guest.windows[i].loads, " stores=", guest.windows[i].stores,
                   " work=", window.work);
    }
    const vpmu::Skid& skid = guest.vcpu.skid;
    if (skid.count != 0) {
        print_line("hyp: skid guest=", guest.spec.name, " overflows=", skid.count,
                   " least=", skid.least, " most=", skid.most);
    }
    print_view(guest);
}

// shared_view: what the host may know.
void Hypervisor::print_view(const Guest& guest) const {
    if (!guest.vm.consents || !vpmu::host_sees_totals(guest.spec.policy)) return;
    for (unsigned i = 0; i < guest.vcpu.view_entries; ++i) {
        const vpmu::ViewEntry& entry = guest.vcpu.view[i];
        print_line("hyp: view guest=", guest.spec.name, " event=", Hex{entry.event.select},
                   " total=", entry.total);
    }
}

void Hypervisor::print_host_events() {
    cpu_.sync_host_events();
    for (unsigned i = 0; i < manifest_.host_event_count; ++i) {
        const auto select = Hex{manifest_.host_events[i].event.select};
        if (host_event_ids_[i] == vpmu::no_event) {
            print_line("hyp: host_event event=", select, " state=refused");
            continue;
        }
        const vpmu::HostEvent& event = cpu_.host_event(host_event_ids_[i]);
        print_line(
            "hyp: host_event event=", select, " scope=", event.request.in_guest ? "guest" : "host",
            " state=", to_text(event.state), " count=", event.count, " overflows=", event.overflows,
            " enabled_ns=", event.enabled_ns, " running_ns=", event.running_ns);
    }
    const std::uint64_t kept = sample_count_ < max_host_samples ? sample_count_ : max_host_samples;
    for (std::uint64_t i = sample_count_ - kept; i < sample_count_; ++i) {
        const HostSample& sample = samples_[i % max_host_samples];
        print_line("hyp: host_sample guest=", guests_[sample.guest]->spec.name,
                   " pc=", Hex{sample.pc});
    }
}

}  // namespace ringside::hyp
