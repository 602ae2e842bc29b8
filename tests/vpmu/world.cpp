#include "world.h"

#include <algorithm>

#include "vpmu/bits.h"

namespace ringside::vpmu::proof {

namespace {

using Kind = RegisterKind;

std::vector<lab::Occurrence> palette_of(const PmuModel& model) {
    if (model.is_arm()) return {{0x08, 0}, {0x11, 0}, {0x10, 0}, {0x21, 0}};
    return {{0xc0, 0}, {0x3c, 0}, {0xc4, 0}, {0x2e, 0x41}, {0x00, 0x03}};
}

std::vector<Register> registers_of(const PmuModel& model) {
    std::vector<Register> all;
    const auto add = [&](Register which) {
        if (which.kind != Kind::none) all.push_back(which);
    };
    if (model.is_arm()) {
        for (unsigned e = sysreg(3, 0, 9, 0, 0); e <= sysreg(3, 3, 14, 15, 7); ++e) {
            add(decode_sysreg(model, static_cast<std::uint16_t>(e)));
        }
    } else {
        for (std::uint32_t msr = 0; msr < 0x500; ++msr) add(decode_msr(model, msr));
        for (std::uint32_t msr = 0; msr < 0x400; ++msr) {
            add(decode_msr(model, 0xc0000000 + msr));
            add(decode_msr(model, 0xc0010000 + msr));
        }
        for (std::uint32_t i = 0; i < 8; ++i) {
            add(decode_rdpmc(model, i));
            add(decode_rdpmc(model, i | 1u << 30));
        }
    }
    return all;
}

// What firmware, or another system before us, may have left.
void leave_junk(WatchedPmu& hardware, const PmuModel& model, Random& random) {
    for_each_slot(model.slots(), [&](Slot slot) { hardware.write_counter(slot, random.next()); });
    for_each_slot(model.selectable(), [&](Slot slot) {
        hardware.write_selector(slot, random.next() | x86::select_enable);
    });
    hardware.set_overflow(random.next());
    hardware.write_control(random.next());
    hardware.write_interrupt_enable(random.next() & model.slots());
    hardware.write_host_enable(model.slots());
    hardware.write_enable(model.slots());
    hardware.forget_writes();
}

}  // namespace

std::string Setup::name() const {
    const char* architectures[] = {"intel", "amd", "arm64"};
    std::string text = architectures[static_cast<unsigned>(host.architecture)];
    text += std::string("/") + traits_of(policy).name;
    if (direct) text += "/direct";
    if (emulates_chain) text += "/soft_chain";
    if (!(host == guest)) text += "/smaller_guest";
    if (!host_events) text += "/no_host_events";
    return text + "/seed" + std::to_string(seed);
}

World::World(const Setup& setup)
    : setup_(setup),
      random_(setup.seed),
      registers_(registers_of(setup.guest)),
      palette_(palette_of(setup.guest)) {
    for (unsigned m = 0; m < setup.machines; ++m) {
        machines_.push_back(std::make_unique<Vm>());
        Vm& vm = *machines_.back();
        vm.policy = setup.policy;
        vm.model = setup.guest;
        vm.direct = setup.direct;
        vm.emulates_chain = setup.emulates_chain;
        vm.consents = m % 2 == 0;
        denied_.emplace_back();
    }
    guests_.resize(std::size_t{setup.machines} * setup.vcpus_each);
    for (unsigned i = 0; i < guests_.size(); ++i) {
        Guest& guest = guests_[i];
        guest.machine = i % setup.machines;
        guest.vcpu = std::make_unique<Vcpu>(*machines_[guest.machine], TaskId{i + 1});
        guest.vcpu->page = &guest.page;
        guest.truth = std::make_unique<lab::SimPmu>(setup.guest);
        guest.truth->count_host_as_kernel(traits_of(setup.policy).counts_vmm);
    }
    for (unsigned c = 0; c < setup.cpus; ++c) {
        Processor& on = processors_.emplace_back();
        on.hardware = std::make_unique<WatchedPmu>(setup.host);
        leave_junk(*on.hardware, setup.host, random_);
        on.cpu = std::make_unique<Cpu<WatchedPmu>>(*on.hardware, setup.host, c);
    }
}

void World::fail(const char* invariant, std::string detail) {
    if (!violation_) {
        violation_ = Violation{invariant, setup_.name() + ", step " + std::to_string(steps_) +
                                              ": " + std::move(detail)};
    }
}

std::uint64_t World::moves() const {
    std::uint64_t sum = 0;
    for (const Processor& on : processors_) sum += on.cpu->moves().total();
    return sum;
}

void World::switch_to(unsigned cpu, unsigned vcpu) {
    Processor& on = processors_[cpu];
    Guest& guest = guests_[vcpu];
    if (on.guest >= 0 || guest.cpu >= 0) return;
    const StoppedCheck stopped(*this, cpu);
    if (!on.cpu->sched_in(*guest.vcpu)) {
        pull(guest);
        if (!on.cpu->sched_in(*guest.vcpu)) fail("one_owner", "a released vCPU is still held");
    }
    on.guest = static_cast<int>(vcpu);
    guest.cpu = static_cast<int>(cpu);
}

void World::switch_away(unsigned cpu) {
    Processor& on = processors_[cpu];
    if (on.guest < 0) return;
    if (on.in_guest) leave(cpu, ExitReason::other);
    Guest& guest = guest_on(on);
    const StoppedCheck stopped(*this, cpu);
    on.cpu->sched_out(*guest.vcpu);
    guest.cpu = -1;
    on.guest = -1;
    check_memory(guest);
    check_left_behind(cpu);
}

void World::enter(unsigned cpu) {
    Processor& on = processors_[cpu];
    if (on.guest < 0 || on.in_guest) return;
    Guest& guest = guest_on(on);
    on.cpu->enter(*guest.vcpu);
    on.in_guest = true;
    // A guest's CR4 comes with the guest.
    if (!setup_.host.is_arm()) on.hardware->write_user_enable(guest.vcpu->guest.user_enable);
    check_running(cpu);
}

void World::leave(unsigned cpu, ExitReason why) {
    Processor& on = processors_[cpu];
    if (!on.in_guest) return;
    Guest& guest = guest_on(on);
    on.cpu->exit(*guest.vcpu, why);
    on.in_guest = false;
    if (why != ExitReason::fast) check_memory(guest);
    if (why != ExitReason::fast) check_left_behind(cpu);
    check_running(cpu);
}

// Ground truth: what the machine's filter denies, and what the engine says it starves.
void World::update_denied(Guest& guest) {
    const auto& denied = denied_[guest.machine];
    Mask mask = guest.vcpu->starved;
    for_each_slot(guest.vcpu->active, [&](Slot slot) {
        const Event event = event_of(setup_.guest, guest.truth->state(), slot);
        if ((allowed_slots(setup_.host, event) >> slot & 1) == 0) guest.odd_event = true;
    });
    for_each_slot(setup_.guest.slots(), [&](Slot slot) {
        const Event event = event_of(setup_.guest, guest.truth->state(), slot);
        const bool fixed =
            setup_.guest.architecture == Architecture::intel && setup_.guest.is_fixed(slot);
        const bool software = setup_.guest.is_arm() && (event.select == 0 || event.select == 0x1e);
        const bool listed = std::find(denied.begin(), denied.end(), event.select) != denied.end();
        if (listed && !fixed && !software) mask |= bit(slot);
    });
    guest.truth->deny(mask);
}

void World::run_truth(Guest& guest, Mode mode, std::span<const lab::Occurrence> happened) {
    const PmuState before = guest.truth->state();
    guest.truth->run(mode, happened);
    if (!traits_of(setup_.policy).host_sees_totals) return;
    const PmuState& after = guest.truth->state();
    for_each_slot(setup_.guest.slots(), [&](Slot slot) {
        const std::uint64_t counted =
            (after.counter[slot] - before.counter[slot]) & setup_.guest.value_mask(slot);
        if (counted == 0) return;
        const Event event = event_of(setup_.guest, after, slot);
        for (ViewEntry& entry : guest.counted) {
            if (!entry.event.same_event(event)) continue;
            entry.total += counted;
            return;
        }
        guest.counted.push_back({event, counted});
    });
}

void World::run_guest(unsigned cpu, Mode mode, std::span<const lab::Occurrence> happened) {
    Processor& on = processors_[cpu];
    if (!on.in_guest) return;
    Guest& guest = guest_on(on);
    update_denied(guest);
    const Mask before = on.hardware->state().overflow;
    on.hardware->run(mode, happened);
    run_truth(guest, mode, happened);
    expect_host_counts(cpu, mode, happened);
    after_guest_ran(cpu, before);
}

// The PMU's interrupt ends the guest's run; sometimes it reaches the VMM only after the exit.
void World::after_guest_ran(unsigned cpu, Mask overflow_before) {
    Processor& on = processors_[cpu];
    Guest& guest = guest_on(on);
    const lab::SimPmu& hw = *on.hardware;
    const bool may_be_late = random_.one_in(4);
    const Mask fresh = hw.state().overflow & ~overflow_before;
    const bool raised =
        setup_.host.is_arm() ? (fresh & hw.state().interrupt_enable) != 0 : hw.interrupt_raised();
    if (!raised) return;
    const bool late = may_be_late && !setup_.host.is_arm() && !is_backed_by_host(setup_.policy) &&
                      on.cpu->resident() == guest.vcpu.get();
    if (late) on.hardware->hold_interrupt(true);
    leave(cpu, late ? ExitReason::other : ExitReason::pmu_interrupt);
    if (late) {
        on.hardware->hold_interrupt(false);
        if (on.hardware->take_interrupt()) on.cpu->late_guest_interrupt();
    }
    check_interrupt(guest);
}

void World::run_host(unsigned cpu, std::span<const lab::Occurrence> happened) {
    Processor& on = processors_[cpu];
    if (on.in_guest) return;
    const bool masked = random_.one_in(3);  // the host's interrupt comes later, or never
    const bool on_behalf = on.guest >= 0 && traits_of(setup_.policy).counts_vmm;
    on.hardware->run(Mode::host, happened);
    if (on_behalf) {
        update_denied(guest_on(on));
        run_truth(guest_on(on), Mode::host, happened);
    }
    expect_host_counts(cpu, Mode::host, happened);
    const bool raised = on.hardware->interrupt_level();
    if (!raised) return;
    if (on.cpu->resident() == nullptr) {
        if (!masked) on.cpu->host_interrupt();
        return;
    }
    if (on.hardware->take_interrupt() || setup_.host.is_arm()) on.cpu->late_guest_interrupt();
    if (on_behalf) check_interrupt(guest_on(on));
}

void World::access(unsigned cpu, Register which, bool writes, std::uint64_t value,
                   Privilege privilege) {
    Processor& on = processors_[cpu];
    if (!on.in_guest) return;
    Guest& guest = guest_on(on);
    Vcpu& vcpu = *guest.vcpu;
    update_denied(guest);
    const bool trapped = intercepts(vcpu, setup_.host, which, writes);
    if (trapped) leave(cpu, ExitReason::pmu_access);
    Access wanted;
    Access got;
    if (writes) {
        wanted.outcome = guest.truth->program_write(which, value, privilege);
        got.outcome = trapped ? on.cpu->write(vcpu, which, value, privilege)
                              : on.hardware->program_write(which, value, privilege);
    } else {
        wanted = guest.truth->program_read(which, privilege);
        got = trapped ? on.cpu->read(vcpu, which, privilege)
                      : on.hardware->program_read(which, privilege);
    }
    if (trapped) check_interrupt(guest);
    compare(guest, which, writes, got, wanted);
    if (trapped) enter(cpu);
}

void World::compare(Guest& guest, Register which, bool writes, Access got, Access wanted) {
    const std::string where = "vCPU " + std::to_string(guest.vcpu->task) + ", register kind " +
                              std::to_string(static_cast<unsigned>(which.kind)) + ", slot " +
                              std::to_string(which.slot) + (writes ? ", write" : ", read");
    if (got.outcome != wanted.outcome) {
        return fail("accesses_end_as_in_the_manual",
                    where + ": outcome " + std::to_string(static_cast<int>(got.outcome)) +
                        " instead of " + std::to_string(static_cast<int>(wanted.outcome)));
    }
    if (writes || got.value == wanted.value) return;
    const bool counter = which.kind == Kind::counter || which.kind == Kind::counter_low ||
                         which.kind == Kind::counter_read || which.kind == Kind::selected_counter;
    const char* invariant = !counter                   ? "registers_keep_their_values"
                            : got.value < wanted.value ? "nothing_is_lost"
                                                       : "nothing_is_doubled_or_foreign";
    fail(invariant,
         where + ": " + std::to_string(got.value) + " instead of " + std::to_string(wanted.value));
}

}  // namespace ringside::vpmu::proof
