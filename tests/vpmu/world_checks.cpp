// World: what must hold after each happening, each promise under its own name.
#include "vpmu/page_index.h"
#include "world.h"

namespace ringside::vpmu::proof {

// A level on Arm, a latched edge on x86: as the guest's own PMU would have it.
void World::check_interrupt(Guest& guest) {
    if (guest.vcpu->wants_interrupt() == guest.truth->interrupt_level()) return;
    fail("interrupts_follow_the_overflow_bits",
         std::string("the guest's interrupt is ") +
             (guest.truth->interrupt_level() ? "missing" : "spurious"));
}

// While nothing of a vCPU is in hardware, memory holds all of it.
void World::check_memory(Guest& guest) {
    const Vcpu& vcpu = *guest.vcpu;
    const bool elsewhere = vcpu.resident_on != no_cpu && !is_backed_by_host(setup_.policy);
    const bool running = is_backed_by_host(setup_.policy) && guest.cpu >= 0;
    if (elsewhere || running) return;
    const PmuState& truth = guest.truth->state();
    for_each_slot(setup_.guest.slots(), [&](Slot slot) {
        if (vcpu.guest.counter[slot] == truth.counter[slot]) return;
        fail(vcpu.guest.counter[slot] < truth.counter[slot] ? "nothing_is_lost"
                                                            : "nothing_is_doubled_or_foreign",
             "counter " + std::to_string(slot) + " is " + std::to_string(vcpu.guest.counter[slot]) +
                 " instead of " + std::to_string(truth.counter[slot]));
    });
    if (vcpu.guest.overflow != truth.overflow) {
        fail("overflow_bits_are_kept",
             std::to_string(vcpu.guest.overflow) + " instead of " + std::to_string(truth.overflow));
    }
    PmuState same = truth;
    same.overflow = vcpu.guest.overflow;
    for (Slot slot = 0; slot < max_slots; ++slot) same.counter[slot] = vcpu.guest.counter[slot];
    if (same == vcpu.guest) return;
    const auto hex = [](std::uint64_t got, std::uint64_t wanted) {
        return std::to_string(got) + "/" + std::to_string(wanted) + " ";
    };
    fail("registers_keep_their_values",
         "after a switch: control " + hex(vcpu.guest.control, truth.control) + "enable " +
             hex(vcpu.guest.enable, truth.enable) + "interrupt enable " +
             hex(vcpu.guest.interrupt_enable, truth.interrupt_enable) + "select " +
             hex(vcpu.guest.select, truth.select) + "user " +
             hex(vcpu.guest.user_enable, truth.user_enable));
}

// Exactly one owner: what runs in guest mode is this guest's, what runs in host mode the host's.
void World::check_running(unsigned cpu) {
    const Processor& on = processors_[cpu];
    const WatchedPmu& hw = *on.hardware;
    if (hw.writes_while_running() != 0 && !counts_vmm(setup_.policy)) {
        fail("stopped_before_a_load", "a running counter was written");
    }
    if (is_backed_by_host(setup_.policy) || on.guest < 0) return;
    const lab::SimPmu& truth = *guests_[static_cast<unsigned>(on.guest)].truth;
    const auto running = [](const lab::SimPmu& pmu) {
        return pmu.running(Mode::guest_user) | pmu.running(Mode::guest_kernel);
    };
    if (on.in_guest && (running(hw) & ~running(truth)) != 0) {
        fail("one_owner", "a counter that is not the guest's runs while it does");
    }
    const bool guests = on.cpu->resident() != nullptr;
    if (guests && !counts_vmm(setup_.policy) && hw.running(Mode::host) != 0) {
        fail("one_owner", "a guest's counter runs while the VMM does");
    }
}

// A switch leaves nothing in hardware that the next owner could read, unless it is still the
// guest's own (lazy) or already the host's.
void World::check_left_behind(unsigned cpu) {
    const Processor& on = processors_[cpu];
    const bool keeps = is_lazy(setup_.policy) || is_backed_by_host(setup_.policy);
    if (keeps || on.cpu->resident() != nullptr || setup_.host_events) return;
    const PmuState& held = on.hardware->state();
    for_each_slot(setup_.guest.slots(), [&](Slot slot) {
        if (held.counter[slot] != 0 || held.selector[slot] != 0) {
            fail("nothing_is_left_behind", "counter " + std::to_string(slot));
        }
    });
    if (held.overflow != 0) fail("nothing_is_left_behind", "overflow bits");
}

namespace {

bool counts(const HostEventRequest& request, Mode mode, const lab::Occurrence& what) {
    const bool here = mode == Mode::host ? request.in_host : request.in_guest;
    const bool level = mode == Mode::guest_user ? request.event.user : request.event.kernel;
    return here && level && request.event.select == what.select &&
           request.event.umask == what.umask;
}

}  // namespace

void World::expect_host_counts(unsigned cpu, Mode mode, std::span<const lab::Occurrence> happened) {
    const Processor& on = processors_[cpu];
    if (on.cpu->resident() != nullptr) return;
    const TaskId task =
        on.guest < 0 ? whole_cpu : guests_[static_cast<unsigned>(on.guest)].vcpu->task;
    for (Watched& watched : watched_) {
        if (watched.cpu != cpu) continue;
        const bool follows = watched.request.task == whole_cpu || watched.request.task == task;
        if (!follows || on.cpu->host_event(watched.id).state != HostEventState::active) continue;
        for (const auto& what : happened) {
            if (counts(watched.request, mode, what)) watched.expected += what.events;
        }
    }
}

void World::check_host_events() {
    for (const Watched& watched : watched_) {
        const Processor& on = processors_[watched.cpu];
        if (on.cpu->resident() != nullptr) continue;
        on.cpu->sync_host_events();
        const HostEvent& event = on.cpu->host_event(watched.id);
        if (event.count != watched.expected) {
            fail("host_events_count_the_host",
                 std::to_string(event.count) + " instead of " + std::to_string(watched.expected));
        }
        if (event.running_ns > event.enabled_ns) fail("running_is_within_enabled", "host event");
        if (!event.was_counted() && event.count != 0) fail("running_is_within_enabled", "no time");
        const std::uint64_t period = watched.request.period;
        if (period != 0 && event.overflows != watched.expected / period) {
            fail("host_events_count_the_host", "samples");
        }
    }
}

// The host sees the totals of machines that consent, all of them, and nothing of the others.
void World::check_view(unsigned machine) {
    const Vm& vm = *machines_[machine];
    std::vector<const Vcpu*> vcpus;
    bool in_memory = true;
    for (const Guest& guest : guests_) {
        if (guest.machine != machine) continue;
        vcpus.push_back(guest.vcpu.get());
        if (guest.vcpu->resident_on != no_cpu) in_memory = false;
    }
    for (const auto& what : palette_) {
        const Event event{what.select, what.umask};
        std::uint64_t total = 0;
        const bool told = host_view(vcpus.data(), unsigned(vcpus.size()), event, total);
        const bool may = vm.consents && host_sees_totals(setup_.policy);
        if (told && !may) fail("only_who_consents_is_seen", "a total was revealed");
        if (!may || !in_memory) continue;
        std::uint64_t counted = 0;
        for (const Guest& guest : guests_) {
            for (const ViewEntry& entry : guest.counted) {
                if (guest.machine == machine && entry.event.same_event(event)) {
                    counted += entry.total;
                }
            }
        }
        if (total != counted) {
            fail("totals_are_complete",
                 std::to_string(total) + " instead of " + std::to_string(counted));
        }
    }
}

// A vCPU in memory shows its counters, stopped; one that runs shows which of them do.
void World::check_page(const Guest& guest) {
    const Vcpu& vcpu = *guest.vcpu;
    const bool on_hardware = vcpu.resident_on != no_cpu;
    if (is_backed_by_host(setup_.policy)) return;  // its counts are synchronized when asked for
    const std::uint64_t running =
        on_hardware && !vcpu.parked ? page_mask(setup_.guest, vcpu.active) : 0;
    if (guest.page.active != running) {
        fail("page_shows_the_guest", "counters run: " + std::to_string(guest.page.active) +
                                         " instead of " + std::to_string(running));
    }
    if (on_hardware) return;
    for_each_slot(setup_.guest.slots(), [&](Slot slot) {
        const unsigned index = page_index(setup_.guest, slot);
        if (index >= VPMU_PAGE_COUNTERS || guest.page.sequence == 0) return;
        const vpmu_page_counter& shown = guest.page.counter[index];
        const bool same = shown.raw == vcpu.guest.counter[slot] && shown.sum == shown.start;
        if (!same) fail("page_shows_the_guest", "counter " + std::to_string(slot));
    });
}

void World::check_all() {
    for (unsigned c = 0; c < processors_.size() && !violation_; ++c) {
        if (!processors_[c].in_guest) continue;
        for (const Register which : registers_) access(c, which, false, 0, Privilege::kernel);
    }
    for (Guest& guest : guests_) {
        check_memory(guest);
        check_page(guest);
        if (!is_backed_by_host(setup_.policy)) continue;
        const auto said = guest.page.starved;
        if (said != page_mask(setup_.guest, guest.vcpu->starved)) {
            fail("starvation_is_said", "the page differs from the engine");
        }
        update_denied(guest);
        // Alone, and never with an event that its own counter cannot count: an error would stay.
        const bool alone = !setup_.host_events && setup_.host == setup_.guest && !guest.odd_event;
        if (alone && guest.vcpu->starved != 0) {
            fail("starvation_is_said", "starved with the whole PMU for itself");
        }
    }
    for (unsigned m = 0; m < machines_.size(); ++m) check_view(m);
    check_host_events();
}

}  // namespace ringside::vpmu::proof
