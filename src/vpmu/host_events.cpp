#include "vpmu/host_events.h"

#include <initializer_list>

#include "vpmu/arch.h"

namespace ringside::vpmu {

Mask allowed_slots(const PmuModel& model, const Event& event) {
    Mask allowed = model.general;
    const PmuState empty;
    for_each_slot(model.fixed, [&](Slot slot) {
        if (event_of(model, empty, slot).same_event(event)) allowed |= bit(slot);
    });
    // Intel's reference cycles and slots (event 0) exist only as fixed counters.
    const bool only_fixed = model.architecture == Architecture::intel && event.select == 0;
    return only_fixed ? allowed & model.fixed : allowed;
}

// count * enabled / running in 64 bits and without floating point, which a hypervisor must not
// touch: both times are shifted until products fit, an error below 2^-31.
std::uint64_t HostEvent::scaled() const {
    if (running_ns == 0) return 0;
    if (running_ns >= enabled_ns) return count;
    const int excess = 32 - std::countl_zero(enabled_ns);
    const unsigned shift = excess > 0 ? unsigned(excess) : 0;
    const std::uint64_t enabled = enabled_ns >> shift;
    const std::uint64_t running = running_ns >> shift == 0 ? 1 : running_ns >> shift;
    return count / running * enabled + count % running * enabled / running;
}

EventId HostEvents::add(const HostEventRequest& request) {
    if (~used_ == 0 || request.allowed == 0) return no_event;
    const bool joins = request.leader != no_event;
    if (joins && (request.leader < 0 || !at(request.leader).used)) return no_event;
    const auto id = static_cast<EventId>(std::countr_one(used_));
    used_ |= bit(Slot(id));
    at(id) = HostEvent{};
    at(id).request = request;
    at(id).used = true;
    at(id).left = request.period;
    at(id).leader = joins ? at(request.leader).leader : id;
    return id;
}

// A group without its leader falls apart: the members become leaders of their own.
void HostEvents::remove(EventId id) {
    at(id) = HostEvent{};
    used_ &= ~bit(Slot(id));
    for_each_slot(used_, [&](Slot other) {
        if (events_[other].leader == id) events_[other].leader = EventId(other);
    });
}

void HostEvents::enable(EventId id) {
    if (at(id).state != HostEventState::active) at(id).state = HostEventState::waiting;
}

void HostEvents::disable(EventId id) {
    at(id).state = HostEventState::off;
}

bool HostEvents::concerns(const HostEvent& event, TaskId task) const {
    return event.request.task == whole_cpu || event.request.task == task;
}

bool HostEvents::wants_counters(TaskId task) const {
    for (Mask rest = used_; rest != 0; rest &= rest - 1) {
        const HostEvent& event = events_[std::countr_zero(rest)];
        const bool enabled =
            event.state == HostEventState::waiting || event.state == HostEventState::active;
        if (enabled && concerns(event, task)) return true;
    }
    return false;
}

Plan HostEvents::plan(Mask available, TaskId task) {
    Plan plan;
    exclusive_holds_ = false;
    anything_placed_ = false;
    for_each_slot(used_, [&](Slot id) {
        if (events_[id].state == HostEventState::active) {
            events_[id].state = HostEventState::waiting;
        }
    });
    for (const bool pinned : {true, false}) {
        for (const bool task_events : {false, true}) {
            place_class(plan, available, task, pinned, task_events);
        }
    }
    return plan;
}

void HostEvents::place_class(Plan& plan, Mask available, TaskId task, bool pinned,
                             bool task_events) {
    EventId leaders[max_host_events];
    unsigned count = 0;
    for_each_slot(used_, [&](Slot id) {
        const HostEvent& event = events_[id];
        const bool here = event.leader == EventId(id) && event.request.pinned == pinned &&
                          (event.request.task != whole_cpu) == task_events &&
                          concerns(event, task) && event.state == HostEventState::waiting;
        if (here) leaders[count++] = EventId(id);
    });
    for (unsigned i = 0; i < count; ++i) {
        const EventId leader = leaders[pinned ? i : (i + turn_) % count];
        const bool placed = place_group(plan, available, leader);
        if (!placed && pinned) at(leader).state = HostEventState::error;
    }
}

// All members or none. An exclusive group wants the PMU for itself.
bool HostEvents::place_group(Plan& plan, Mask available, EventId leader) {
    const bool exclusive = at(leader).request.exclusive;
    if (exclusive_holds_ || (exclusive && anything_placed_)) return false;
    Plan attempt = plan;
    Mask members = 0;
    for (Mask rest = used_; rest != 0; rest &= rest - 1) {
        const auto id = static_cast<EventId>(std::countr_zero(rest));
        if (at(id).leader != leader || at(id).state != HostEventState::waiting) continue;
        Mask visited = 0;
        if (!place_event(attempt, available, id, visited)) return false;
        members |= bit(Slot(id));
    }
    plan = attempt;
    exclusive_holds_ = exclusive;
    anything_placed_ = true;
    for_each_slot(members, [&](Slot id) { events_[id].state = HostEventState::active; });
    return true;
}

// Kuhn's augmenting path: takes a free counter, or moves whoever holds one to another. The depth
// is at most the number of counters, because each is visited once.
bool HostEvents::place_event(Plan& plan, Mask available, EventId id, Mask& visited) const {
    for (Mask rest = at(id).request.allowed & available & ~visited; rest != 0; rest &= rest - 1) {
        const auto slot = static_cast<Slot>(std::countr_zero(rest));
        if ((visited >> slot & 1) != 0) continue;
        visited |= bit(slot);
        const EventId holder = plan.occupant[slot];
        if (holder == no_event || place_event(plan, available, holder, visited)) {
            plan.occupant[slot] = id;
            return true;
        }
    }
    return false;
}

void HostEvents::pass_time(std::uint64_t elapsed_ns, TaskId task) {
    for_each_slot(used_, [&](Slot id) {
        HostEvent& event = events_[id];
        if (event.state == HostEventState::off || !concerns(event, task)) return;
        event.enabled_ns += elapsed_ns;
        if (event.state == HostEventState::active) event.running_ns += elapsed_ns;
    });
}

}  // namespace ringside::vpmu
