// The host's own events and their scheduler: which event gets which counter, for how long. It
// knows nothing of hardware: plan() answers who should be where, cpu.h moves the registers.
#pragma once

#include "vpmu/model.h"
#include "vpmu/state.h"

namespace ringside::vpmu {

using EventId = std::int16_t;
inline constexpr EventId no_event = -1;
inline constexpr unsigned max_host_events = 64;

// Whom an event follows: 0 is the CPU, everything else a task.
using TaskId = std::uint32_t;
inline constexpr TaskId whole_cpu = 0;

enum class HostEventState : std::uint8_t {
    off,      // never enabled, or disabled
    waiting,  // enabled, without a counter
    active,   // on a counter
    error,    // pinned, and could not be placed; stays so until it is enabled again
};

// Counters of `model` that can count `event`: a fixed one only its own, a general one any.
Mask allowed_slots(const PmuModel& model, const Event& event);

struct HostEventRequest {
    Event event;
    Mask allowed = ~Mask{0};  // counters that can count it
    TaskId task = whole_cpu;
    EventId leader = no_event;  // the group it joins
    bool pinned = false;
    bool exclusive = false;
    bool in_guest = true;      // not exclude_guest
    bool in_host = true;       // not exclude_host
    std::uint64_t period = 0;  // events between overflows; 0 only counts
};

struct HostEvent {
    HostEventRequest request;
    HostEventState state = HostEventState::off;
    bool used = false;
    EventId leader = no_event;  // itself for a leader
    std::uint64_t count = 0;
    std::uint64_t left = 0;  // to the next overflow of a sampling event
    std::uint64_t overflows = 0;
    std::uint64_t enabled_ns = 0;
    std::uint64_t running_ns = 0;

    // Never counted is not a count of 0.
    bool was_counted() const { return running_ns != 0; }
    std::uint64_t scaled() const;
};

struct Plan {
    EventId occupant[max_slots];
    Plan() {
        for (EventId& id : occupant) id = no_event;
    }
};

class HostEvents {
  public:
    // no_event if the table is full, the group is not there, or no counter could ever do it.
    EventId add(const HostEventRequest& request);
    void remove(EventId id);
    // Also lifts the error state.
    void enable(EventId id);
    void disable(EventId id);

    bool is_empty() const { return used_ == 0; }
    // Would any event take a counter while `task` runs?
    bool wants_counters(TaskId task) const;
    HostEvent& at(EventId id) { return events_[static_cast<unsigned>(id)]; }
    const HostEvent& at(EventId id) const { return events_[static_cast<unsigned>(id)]; }

    // Who shall hold which of `available` while `task` runs. Sets the states. Order: pinned CPU
    // events, pinned task events, flexible CPU events, flexible task events; groups whole or not.
    Plan plan(Mask available, TaskId task);
    // Gives another flexible group the first choice.
    void rotate() { ++turn_; }
    // Charges `elapsed_ns` to whoever is enabled, and running, for `task`.
    void pass_time(std::uint64_t elapsed_ns, TaskId task);

  private:
    bool concerns(const HostEvent& event, TaskId task) const;
    void place_class(Plan& plan, Mask available, TaskId task, bool pinned, bool task_events);
    bool place_group(Plan& plan, Mask available, EventId leader);
    bool place_event(Plan& plan, Mask available, EventId id, Mask& visited) const;

    HostEvent events_[max_host_events];
    Mask used_ = 0;
    std::uint32_t turn_ = 0;
    bool exclusive_holds_ = false;
    bool anything_placed_ = false;
};

}  // namespace ringside::vpmu
