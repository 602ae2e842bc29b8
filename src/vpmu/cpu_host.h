// Cpu<>: the host's events, and when they get the counters. Included by cpu.h.
#pragma once

#include "vpmu/cpu.h"

namespace ringside::vpmu {

template <Hardware Hw>
void Cpu<Hw>::give_to_host(TaskId task) {
    if (resident_ != nullptr) {
        if (!is_lazy(*resident_) || !host_wants(task)) return;
        unload(*resident_);
    }
    host_.resume(task);
    if (scheduled_ != nullptr && is_backed_by_host(*scheduled_)) {
        show_starvation(*scheduled_, host_.events(), host_.now_ns());
    }
}

template <Hardware Hw>
void Cpu<Hw>::host_interrupt() {
    (void)registers_.take_interrupt();
    host_.service_overflow();
}

template <Hardware Hw>
void Cpu<Hw>::late_guest_interrupt() {
    if (resident_ != nullptr) {
        guest_overflowed(*resident_);
        if (!model().is_arm()) resident_->interrupt_pending = true;
    } else if (last_released_ != nullptr && !model().is_arm()) {
        last_released_->interrupt_pending = true;
    }
}

// A lazy guest's registers give way when the host gets something to count.
template <Hardware Hw>
void Cpu<Hw>::make_way_for_host() {
    if (resident_ != nullptr && !is_lazy(*resident_)) return;
    if (resident_ != nullptr) unload(*resident_);
    host_.resume(scheduled_ != nullptr ? scheduled_->task : whole_cpu);
}

template <Hardware Hw>
void Cpu<Hw>::host_events_changed() {
    host_wanted_ = !host_.events().is_empty();
    if (scheduled_ != nullptr) show_starvation(*scheduled_, host_.events(), host_.now_ns());
}

template <Hardware Hw>
EventId Cpu<Hw>::add_host_event(const HostEventRequest& request) {
    make_way_for_host();
    const EventId id = host_.add(request);
    host_events_changed();
    return id;
}

template <Hardware Hw>
void Cpu<Hw>::remove_host_event(EventId id) {
    host_.forget(id);
    host_.replan();
    host_events_changed();
}

template <Hardware Hw>
void Cpu<Hw>::enable_host_event(EventId id) {
    make_way_for_host();
    host_.enable(id);
    host_events_changed();
}

template <Hardware Hw>
void Cpu<Hw>::disable_host_event(EventId id) {
    host_.disable(id);
    host_events_changed();
}

template <Hardware Hw>
void Cpu<Hw>::rotate_host_events() {
    host_.rotate();
    host_events_changed();
}

}  // namespace ringside::vpmu
