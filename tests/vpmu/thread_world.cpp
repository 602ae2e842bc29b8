#include "thread_world.h"

#include "vpmu/bits.h"

namespace ringside::vpmu::proof {

namespace {

constexpr unsigned vcpus_each = 2;
constexpr unsigned threads_each = 5;

lab::Occurrence event_of_slot(const PmuModel& model, unsigned slot) {
    const lab::Occurrence x86_events[] = {{0xc0, 0}, {0x3c, 0}, {0xc4, 0}};
    const lab::Occurrence arm_events[] = {{0x08, 0}, {0x11, 0}, {0x10, 0}};
    return model.is_arm() ? arm_events[slot] : x86_events[slot];
}

std::uint64_t selector_for(const PmuModel& model, const lab::Occurrence& what, bool interrupts) {
    if (model.is_arm()) return what.select;
    return what.select | x86::select_user | x86::select_kernel | x86::select_enable |
           (interrupts ? x86::select_interrupt : 0);
}

}  // namespace

ThreadWorld::ThreadWorld(const PmuModel& model, std::uint64_t seed, bool skips_hypercalls)
    : model_(model), random_(seed), skips_hypercalls_(skips_hypercalls) {
    constexpr unsigned machines = 2;
    for (unsigned m = 0; m < machines; ++m) {
        machines_.push_back(std::make_unique<Vm>());
        machines_[m]->policy = Policy::paravirtual;
        machines_[m]->model = model;
        pages_.emplace_back(page_bytes(vcpus_each, threads_each, 0) / 8 + 8);
        (void)format_page(pages_[m].data(), pages_[m].size() * 8, vcpus_each, threads_each, 0);
    }
    for (unsigned i = 0; i < machines * vcpus_each; ++i) {
        Virtual& made = virtuals_.emplace_back();
        made.machine = i % machines;
        made.vcpu = std::make_unique<Vcpu>(*machines_[made.machine], TaskId{i + 1});
        made.vcpu->page = &vcpu_of(pages_[made.machine].data(), i / machines);
    }
    for (unsigned i = 0; i < machines * threads_each; ++i) {
        Thread& made = threads_.emplace_back();
        made.machine = i % machines;
        made.period = i % 5 == 4 ? 700 : 0;
        made.left = made.period;
        made.control.slots = low_bits(i % 3 == 0 ? 2 : events);
        made.control.sampling = made.period != 0 ? 1 : 0;
        made.control.control = model.is_arm() ? arm::pmcr_enable : 0;
        for_each_slot(made.control.slots, [&](Slot slot) {
            made.control.selector[slot] = selector_for(model, event_of_slot(model, slot),
                                                       (made.control.sampling >> slot & 1) != 0);
        });
    }
    for (CpuId c = 0; c < 2; ++c) {
        Processor& on = processors_.emplace_back();
        on.hardware = std::make_unique<lab::SimPmu>(model);
        on.hardware->write_enable(0);
        on.cpu = std::make_unique<Cpu<lab::SimPmu>>(*on.hardware, model_, c);
    }
}

void ThreadWorld::fail(const char* invariant, std::string detail) {
    if (!violation_) violation_ = Violation{invariant, std::move(detail)};
}

// The hypervisor's switch: another vCPU, in the middle of whatever the guest was doing.
void ThreadWorld::schedule(unsigned cpu) {
    Processor& on = processors_[cpu];
    if (on.vcpu >= 0) {
        Virtual& old = virtuals_[unsigned(on.vcpu)];
        on.cpu->exit(*old.vcpu, ExitReason::other);
        on.cpu->sched_out(*old.vcpu);
        old.cpu = -1;
        on.vcpu = -1;
    }
    const unsigned next = random_.below(unsigned(virtuals_.size()));
    if (virtuals_[next].cpu >= 0) return;
    if (!on.cpu->sched_in(*virtuals_[next].vcpu)) {
        return fail("one_owner", "a vCPU that ran nowhere is still held");
    }
    on.cpu->enter(*virtuals_[next].vcpu);
    virtuals_[next].cpu = int(cpu);
    on.vcpu = int(next);
}

void ThreadWorld::thread_leaves(Processor& on, Virtual& where) {
    if (where.thread < 0) return;
    Thread& old = threads_[unsigned(where.thread)];
    const auto phys = [&](unsigned index) { return on.hardware->read_counter(index); };
    vpmu_page_thread& shown = thread_of(pages_[where.machine].data(), unsigned(where.thread) / 2);
    thread_out(*where.vcpu->page, shown, old.control.slots, phys);
    if (old.period != 0) old.control.value[0] = on.hardware->read_counter(0);
    old.vcpu = -1;
    where.thread = -1;
}

// The guest kernel's switch: out, a hypercall if the configuration differs, in.
void ThreadWorld::switch_thread(unsigned cpu) {
    Processor& on = processors_[cpu];
    if (on.vcpu < 0) return;
    Virtual& where = virtuals_[unsigned(on.vcpu)];
    thread_leaves(on, where);
    const unsigned next = random_.below(threads_each) * 2 + where.machine;
    Thread& thread = threads_[next];
    if (thread.vcpu >= 0) {
        // Nothing to run: the idle thread counts nothing, and nothing may sample on its account.
        (void)on.cpu->configure(*where.vcpu, {});
        where.loaded = {};
        return;
    }
    ++thread_switches_;
    if (thread.period != 0) thread.control.value[0] = (0 - thread.left) & model_.value_mask(0);
    const bool same = skips_hypercalls_ && thread.control == where.loaded && thread.period == 0;
    if (!same) {
        ++hypercalls_;
        on.cpu->exit(*where.vcpu, ExitReason::other);
        if (!on.cpu->configure(*where.vcpu, thread.control)) {
            return fail("threads_count_their_own", "a good configuration was refused");
        }
        on.cpu->enter(*where.vcpu);
        where.loaded = thread.control;
    }
    const auto phys = [&](unsigned index) { return on.hardware->read_counter(index); };
    vpmu_page_thread& shown = thread_of(pages_[where.machine].data(), next / 2);
    thread_in(*where.vcpu->page, unsigned(on.vcpu) / 2, shown, thread.control.slots, phys);
    thread.vcpu = on.vcpu;
    where.thread = int(next);
}

void ThreadWorld::run(unsigned cpu) {
    Processor& on = processors_[cpu];
    if (on.vcpu < 0) return;
    Virtual& where = virtuals_[unsigned(on.vcpu)];
    lab::Occurrence happened[events];
    for (unsigned i = 0; i < events; ++i) {
        happened[i] = event_of_slot(model_, i);
        happened[i].events = random_.below(200);
    }
    const Mode mode = random_.one_in(2) ? Mode::guest_user : Mode::guest_kernel;
    on.hardware->run(mode, happened);
    if (where.thread < 0) return;
    Thread& thread = threads_[unsigned(where.thread)];
    for_each_slot(thread.control.slots,
                  [&](Slot slot) { thread.counted[slot] += happened[slot].events; });
    if (thread.period == 0) return;
    const bool overflows = happened[0].events >= thread.left;
    thread.left -= overflows ? 0 : happened[0].events;
    if (overflows) {
        ++thread.expected_samples;
        thread.left = thread.period - (happened[0].events - thread.left);
    }
    take_sample(on, where, thread);
}

// The interrupt reaches the hypervisor, becomes a virtual one, and the guest re-arms the counter.
void ThreadWorld::take_sample(Processor& on, Virtual& where, Thread& thread) {
    if (on.hardware->interrupt_level()) on.cpu->exit(*where.vcpu, ExitReason::pmu_interrupt);
    if (where.vcpu->wants_interrupt()) {
        ++thread.samples;
        where.vcpu->interrupt_injected();
        thread.control.value[0] = (0 - thread.left) & model_.value_mask(0);
        thread_out(
            *where.vcpu->page, thread_of(pages_[where.machine].data(), unsigned(where.thread) / 2),
            thread.control.slots, [&](unsigned index) { return on.hardware->read_counter(index); });
        if (!on.cpu->configure(*where.vcpu, thread.control)) {
            fail("threads_count_their_own", "re-arming was refused");
        }
        where.loaded = thread.control;
        thread_in(*where.vcpu->page, unsigned(on.vcpu) / 2,
                  thread_of(pages_[where.machine].data(), unsigned(where.thread) / 2),
                  thread.control.slots,
                  [&](unsigned index) { return on.hardware->read_counter(index); });
    }
    on.cpu->enter(*where.vcpu);
    if (thread.samples != thread.expected_samples) {
        fail("every_overflow_is_delivered", std::to_string(thread.samples) +
                                                " samples instead of " +
                                                std::to_string(thread.expected_samples));
    }
}

// Every thread that runs here or nowhere, read as a program reads it.
void ThreadWorld::read_all(unsigned cpu) {
    Processor& on = processors_[cpu];
    for (unsigned i = 0; i < threads_.size() && !violation_; ++i) {
        const Thread& thread = threads_[i];
        const bool elsewhere =
            thread.vcpu >= 0 && thread.vcpu != on.vcpu && virtuals_[unsigned(thread.vcpu)].cpu >= 0;
        if (elsewhere) continue;
        const auto& page = pages_[thread.machine];
        const PageReader reader(page.data(), page.size() * 8);
        for_each_slot(thread.control.slots, [&](Slot slot) {
            std::uint64_t value = 0;
            const bool read = reader.read_thread_count(
                i / 2, slot, [&](unsigned index) { return on.hardware->read_counter(index); },
                value);
            if (!read || value != thread.counted[slot]) {
                fail("threads_count_their_own", "thread " + std::to_string(i) + ", event " +
                                                    std::to_string(slot) + ": " +
                                                    std::to_string(value) + " instead of " +
                                                    std::to_string(thread.counted[slot]));
            }
        });
    }
}

void ThreadWorld::step() {
    if (violation_) return;
    const unsigned cpu = random_.below(2);
    switch (random_.below(8)) {
        case 0:
            schedule(cpu);
            break;
        case 1:
            switch_thread(cpu);
            break;
        case 2:
            read_all(cpu);
            break;
        default:
            run(cpu);
            break;
    }
}

}  // namespace ringside::vpmu::proof
