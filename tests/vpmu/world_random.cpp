// World: what happens next, by chance. Values are chosen so that counters run, and wrap.
#include "vpmu/bits.h"
#include "world.h"

namespace ringside::vpmu::proof {

namespace {

using Kind = RegisterKind;

std::uint64_t selector_value(Random& random, const PmuModel& model, const lab::Occurrence& what) {
    if (model.is_arm()) {
        const std::uint16_t software[] = {0x00, 0x1e};
        const std::uint64_t event =
            random.one_in(3) ? software[random.below(2)] : std::uint64_t{what.select};
        return event | std::uint64_t{random.below(8) == 0} << 31 |
               std::uint64_t{random.below(8) == 0} << 30;
    }
    return what.select | std::uint64_t{what.umask} << 8 | x86::select_user |
           (random.one_in(4) ? 0 : x86::select_kernel) |
           (random.one_in(2) ? x86::select_interrupt : 0) |
           (random.one_in(6) ? 0 : x86::select_enable);
}

// Near its end a counter will wrap soon, and at its end by a single carry.
std::uint64_t counter_value(Random& random, std::uint64_t mask) {
    switch (random.below(4)) {
        case 0:
            return 0;
        case 1:
            return random.next() & mask;
        default:
            return (0 - std::uint64_t{random.one_in(4) ? 1 : random.below(2000) + 1}) & mask;
    }
}

std::uint64_t value_for(Random& random, const PmuModel& model, Register which,
                        const lab::Occurrence& what) {
    if (random.one_in(40)) return random.next();
    switch (which.kind) {
        case Kind::selector:
        case Kind::selected_selector:
            return selector_value(random, model, what);
        case Kind::counter:
            return counter_value(random, random.one_in(3)
                                             ? low_bits(32) & model.value_mask(which.slot)
                                             : model.value_mask(which.slot));
        case Kind::counter_low:
        case Kind::selected_counter:
            return counter_value(random, low_bits(32));
        case Kind::control:
            if (model.is_arm())
                return (random.next() & 0xc6 & -std::uint64_t{random.one_in(4)}) |
                       !random.one_in(8);
            return random.next() & 0xbbbb & low_bits(4 * model.fixed_count());
        case Kind::enable:
            return random.one_in(3) ? random.next() & model.slots() : model.slots();
        case Kind::select:
            return random.one_in(4) ? random.below(32) : random.below(8);
        case Kind::user_enable:
            return random.below(16);
        case Kind::enable_set:
            return model.slots() & (random.one_in(2) ? random.next() : ~0ull);
        case Kind::enable_clear:
            return model.slots() & random.next() & random.next();
        default:
            return random.next() & model.slots();
    }
}

}  // namespace

void World::random_access(unsigned cpu) {
    const Register which = registers_[random_.below(unsigned(registers_.size()))];
    const lab::Occurrence& what = palette_[random_.below(unsigned(palette_.size()))];
    const bool writes = random_.below(5) < 3;
    const auto privilege = random_.one_in(8) ? Privilege::user : Privilege::kernel;
    access(cpu, which, writes, value_for(random_, setup_.guest, which, what), privilege);
}

void World::random_run(unsigned cpu) {
    lab::Occurrence happened[2] = {palette_[random_.below(unsigned(palette_.size()))],
                                   palette_[random_.below(2)]};
    happened[0].events = random_.below(random_.one_in(3) ? 2000 : 30);
    happened[1].events = happened[0].select == happened[1].select ? 0 : random_.below(500);
    processors_[cpu].hardware->advance_clock(random_.below(1000) + 1);
    if (!processors_[cpu].in_guest) return run_host(cpu, happened);
    run_guest(cpu, random_.one_in(2) ? Mode::guest_user : Mode::guest_kernel, happened);
}

// Never under a policy that hides guests would the host be allowed an event that counts them.
void World::random_host_event(unsigned cpu) {
    if (!setup_.host_events) return;
    Cpu<WatchedPmu>& on = *processors_[cpu].cpu;
    const bool add = watched_.size() < 6 && random_.one_in(2);
    if (add) {
        const auto& what = palette_[random_.below(unsigned(palette_.size()))];
        HostEventRequest request{.event = {what.select, what.umask}};
        request.allowed = allowed_slots(setup_.host, request.event);
        request.task =
            random_.one_in(3) ? TaskId{random_.below(unsigned(guests_.size())) + 1} : whole_cpu;
        request.pinned = random_.one_in(3);
        request.exclusive = random_.one_in(12);
        request.in_guest = is_backed_by_host(setup_.policy) && random_.one_in(2);
        request.period = random_.one_in(2) ? random_.below(900) + 100 : 0;
        const EventId id = on.add_host_event(request);
        if (id != no_event) watched_.push_back({cpu, id, request});
        return;
    }
    for (std::size_t i = 0; i < watched_.size(); ++i) {
        if (watched_[i].cpu != cpu) continue;
        if (random_.one_in(2)) return on.rotate_host_events();
        on.remove_host_event(watched_[i].id);
        watched_.erase(watched_.begin() + static_cast<std::ptrdiff_t>(i));
        return;
    }
}

void World::step_guest(unsigned cpu) {
    const unsigned dice = random_.below(100);
    if (dice < 40) return random_run(cpu);
    if (dice < 75) return random_access(cpu);
    if (dice < 80) return emulate(cpu);
    if (dice < 98) {
        leave(cpu, random_.one_in(2) ? ExitReason::fast : ExitReason::other);
        return;
    }
    change_filter(random_.below(unsigned(machines_.size())));
}

void World::step_host(unsigned cpu) {
    Processor& on = processors_[cpu];
    const unsigned dice = random_.below(100);
    if (dice < 15) return random_run(cpu);
    if (dice < 20) return random_host_event(cpu);
    if (dice < 22) return change_filter(random_.below(unsigned(machines_.size())));
    if (dice < 25) return migrate(random_.below(unsigned(guests_.size())));
    if (on.guest < 0) return switch_to(cpu, random_.below(unsigned(guests_.size())));
    if (dice < 35) return inject(cpu);
    if (dice < 50) return switch_away(cpu);
    enter(cpu);
}

void World::step() {
    if (violation_) return;
    ++steps_;
    const unsigned cpu = random_.below(unsigned(processors_.size()));
    processors_[cpu].in_guest ? step_guest(cpu) : step_host(cpu);
    if (setup_.checks && steps_ % 64 == 0) check_all();
}

std::vector<Setup> all_setups() {
    std::vector<Setup> all;
    const PmuModel models[] = {intel_perfmon(4, 3), amd_perfmon_v2(6), arm_pmuv3(6),
                               arm_pmuv3(4, 6)};
    for (const PmuModel& model : models) {
        for (unsigned p = 0; p < policy_count; ++p) {
            const auto policy = static_cast<Policy>(p);
            if (is_logical(policy)) continue;  // threads_world.h
            Setup setup{.host = model, .guest = model, .policy = policy};
            all.push_back(setup);
            setup.host_events = false;
            all.push_back(setup);
            if (model.is_arm() && lends_registers(policy) && !host_sees_totals(policy)) {
                setup.direct = true;
                all.push_back(setup);
            }
        }
    }
    Setup smaller{.host = intel_perfmon(8, 4), .guest = intel_perfmon(4, 3)};
    smaller.policy = Policy::mediated;
    all.push_back(smaller);
    smaller.policy = Policy::lazy_mediated;
    all.push_back(smaller);
    smaller.policy = Policy::legacy;
    all.push_back(smaller);
    Setup few{.host = arm_pmuv3(2), .guest = arm_pmuv3(6), .policy = Policy::legacy};
    all.push_back(few);
    Setup chain{.host = arm_pmuv3(6), .guest = arm_pmuv3(6)};
    chain.host.event_ids &= ~bit(0x1e);
    chain.emulates_chain = true;
    for (const Policy policy : {Policy::mediated, Policy::lazy_mediated, Policy::cpu_switch}) {
        chain.policy = policy;
        all.push_back(chain);
    }
    return all;
}

}  // namespace ringside::vpmu::proof
