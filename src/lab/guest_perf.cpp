#include "lab/guest_perf.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "vpmu/host_events.h"

namespace ringside::lab {

namespace {

constexpr Slot no_counter = vpmu::max_slots;

}  // namespace

GuestPerf::GuestPerf(const vpmu::PmuModel& model, const Encodings& encodings)
    : model_(model), encodings_(encodings), driver_(make_driver(model)) {}

PerfContext GuestPerf::make_context(const ProfilePlan& plan) const {
    PerfContext context;
    for (unsigned group = 0; group < plan.groups.size(); ++group) {
        context.order.push_back(group);
        for (const EventName name : plan.groups[group]) {
            PerfEvent event{.name = name, .event = *encodings_[index_of(name)], .group = group};
            event.event.kernel = !plan.user_only;
            event.samples = plan.period != 0 && context.events.empty();
            event.period = event.samples ? plan.period : driver_->longest_distance();
            event.left = std::int64_t(event.period);
            context.events.push_back(event);
        }
    }
    return context;
}

void GuestPerf::boot(PmuPort& port) {
    port.begin(KernelWork::boot);
    driver_->boot(port);
}

template <typename Change>
void GuestPerf::bracketed(PmuPort& port, Change change) {
    driver_->disable_all(port, active_);
    change();
    driver_->enable_all(port, active_);
}

void GuestPerf::pass_time(PerfContext& context, std::uint64_t now_ns) {
    const std::uint64_t elapsed_ns = context.present ? now_ns - context.since_ns : 0;
    context.since_ns = now_ns;
    for (PerfEvent& event : context.events) {
        if (event.state == PerfEvent::State::off) continue;
        event.enabled_ns += elapsed_ns;
        if (event.state == PerfEvent::State::active) event.running_ns += elapsed_ns;
    }
}

// perf_install_in_context: the first event makes the kernel go over a context that has none.
void GuestPerf::open(PmuPort& port, PerfContext& context, std::uint64_t now_ns) {
    context.present = true;
    context.since_ns = now_ns;
    bracketed(port, [] {});
}

// ctx_resched: what is on the counters leaves them and comes back together with the new event.
void GuestPerf::enable(PmuPort& port, PerfContext& context, std::size_t event,
                       std::uint64_t now_ns) {
    pass_time(context, now_ns);
    context.events[event].state = PerfEvent::State::waiting;
    bracketed(port, [&] {
        schedule_out(port, context);
        schedule_in(port, context);
    });
}

// perf_event_enable_on_exec: all at once.
void GuestPerf::enable_all(PmuPort& port, PerfContext& context, std::uint64_t now_ns) {
    pass_time(context, now_ns);
    for (PerfEvent& event : context.events) event.state = PerfEvent::State::waiting;
    bracketed(port, [&] { schedule_in(port, context); });
}

void GuestPerf::disable(PmuPort& port, PerfContext& context, std::size_t event,
                        std::uint64_t now_ns) {
    pass_time(context, now_ns);
    PerfEvent& one = context.events[event];
    if (one.state == PerfEvent::State::active) bracketed(port, [&] { stop(port, one); });
    one.state = PerfEvent::State::off;
}

void GuestPerf::switch_in(PmuPort& port, PerfContext& context, std::uint64_t now_ns) {
    context.present = true;
    context.since_ns = now_ns;
    bracketed(port, [&] { schedule_in(port, context); });
}

void GuestPerf::switch_out(PmuPort& port, PerfContext& context, std::uint64_t now_ns) {
    pass_time(context, now_ns);
    bracketed(port, [&] { schedule_out(port, context); });
    context.present = false;
}

// perf_rotate_context: the first group goes to the end of the queue.
void GuestPerf::rotate(PmuPort& port, PerfContext& context, std::uint64_t now_ns) {
    pass_time(context, now_ns);
    bracketed(port, [&] {
        schedule_out(port, context);
        std::rotate(context.order.begin(), context.order.begin() + 1, context.order.end());
        schedule_in(port, context);
    });
}

void GuestPerf::read(PmuPort& port, PerfContext& context, std::uint64_t now_ns) {
    pass_time(context, now_ns);
    for (PerfEvent& event : context.events) {
        if (event.state == PerfEvent::State::active) update(port, event);
    }
}

// Groups in their order, each whole or not at all; after the first that finds no room the kernel
// does not try the rest.
void GuestPerf::schedule_in(PmuPort& port, PerfContext& context) {
    context.needs_rotation = false;
    for (const unsigned group : context.order) {
        if (place_group(port, context, group)) continue;
        context.needs_rotation = true;
        return;
    }
}

void GuestPerf::schedule_out(PmuPort& port, PerfContext& context) {
    for (const unsigned group : context.order) {
        for (PerfEvent& event : context.events) {
            if (event.group == group && event.state == PerfEvent::State::active) stop(port, event);
        }
    }
}

bool GuestPerf::place_group(PmuPort& port, PerfContext& context, unsigned group) {
    if (!driver_->starts_at_once() && !fits(context, group)) return false;
    bool placed = true;
    for (PerfEvent& event : context.events) {
        if (event.group != group || event.state != PerfEvent::State::waiting) continue;
        placed = placed && start(port, event);
    }
    if (placed) return true;
    for (PerfEvent& event : context.events) {
        if (event.group == group && event.state == PerfEvent::State::active) stop(port, event);
    }
    return false;
}

bool GuestPerf::fits(const PerfContext& context, unsigned group) const {
    Mask taken = active_;
    for (const PerfEvent& event : context.events) {
        if (event.group != group || event.state != PerfEvent::State::waiting) continue;
        const Slot slot = free_counter(event.event, taken);
        if (slot == no_counter) return false;
        taken |= vpmu::bit(slot);
    }
    return true;
}

// Linux fills counters that can do one event only first.
Slot GuestPerf::free_counter(const vpmu::Event& event, Mask taken) const {
    Mask free = vpmu::allowed_slots(model_, event) & ~taken;
    if ((free & model_.fixed) != 0) free &= model_.fixed;
    return free == 0 ? no_counter : Slot(std::countr_zero(free));
}

bool GuestPerf::start(PmuPort& port, PerfEvent& event) {
    const Slot slot = free_counter(event.event, active_);
    if (slot == no_counter) return false;
    (void)next_period(event);
    event.slot = slot;
    event.state = PerfEvent::State::active;
    on_counter_[slot] = &event;
    driver_->start(port, slot, event.event, std::uint64_t(event.left));
    active_ |= vpmu::bit(slot);
    return true;
}

void GuestPerf::stop(PmuPort& port, PerfEvent& event) {
    driver_->stop(port, event.slot);
    update(port, event);
    active_ &= ~vpmu::bit(event.slot);
    event.state = PerfEvent::State::waiting;
}

void GuestPerf::update(PmuPort& port, PerfEvent& event) {
    const std::uint64_t now = driver_->read(port, event.slot);
    const std::uint64_t counted = (now - event.last) & driver_->value_mask();
    event.last = now;
    event.count += counted;
    event.left -= std::int64_t(counted);
}

// True if a period has ended. The rest of the last one is kept, so that no event is lost to the
// re-arming.
bool GuestPerf::next_period(PerfEvent& event) {
    const bool ended = event.left <= 0;
    const auto period = std::int64_t(event.period);
    if (event.left <= -period) event.left = period;
    if (event.left <= 0) event.left += period;
    event.last = driver_->reading_at(std::uint64_t(event.left));
    event.expected = std::uint64_t(event.left);
    return ended;
}

unsigned GuestPerf::interrupt(PmuPort& port) {
    port.begin(KernelWork::interrupt);
    unsigned samples = 0;
    const Mask overflowed = driver_->begin_interrupt(port);
    const Mask handled = driver_->handler_reads_all() && overflowed != 0 ? active_ : overflowed;
    vpmu::for_each_slot(handled & active_, [&](Slot slot) {
        PerfEvent& event = *on_counter_[slot];
        update(port, event);
        if ((overflowed >> slot & 1) == 0) return;
        const bool ended = next_period(event);
        driver_->set_distance(port, slot, std::uint64_t(event.left));
        if (!ended || !event.samples) return;
        ++event.overflows;
        ++samples;
    });
    driver_->end_interrupt(port, overflowed, active_);
    return samples;
}

void GuestPerf::happened(const EventNumbers& events) {
    each_active([&](PerfEvent& event) {
        const std::uint64_t caused = events[index_of(event.name)];
        event.expected -= std::min(caused, event.expected);
    });
}

}  // namespace ringside::lab
