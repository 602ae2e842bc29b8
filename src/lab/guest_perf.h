// The guest's perf core: contexts of events, groups, multiplexing; what Linux 6.1 does in
// kernel/events/core.c between a system call, a context switch or a tick and the PMU's driver.
#pragma once

#include <vector>

#include "lab/guest_driver.h"
#include "lab/scenario.h"

namespace ringside::lab {

struct PerfEvent {
    enum class State : std::uint8_t { off, waiting, active };

    EventName name = EventName::cycles;
    vpmu::Event event;
    unsigned group = 0;
    std::uint64_t period = 0;  // between interrupts, for an event that only counts too
    bool samples = false;

    State state = State::off;
    Slot slot = 0;
    std::uint64_t last = 0;      // reading of the counter
    std::int64_t left = 0;       // to the next overflow
    std::uint64_t expected = 0;  // the same, less what has happened since
    std::uint64_t count = 0;
    std::uint64_t overflows = 0;
    std::uint64_t enabled_ns = 0;
    std::uint64_t running_ns = 0;
    bool starved = false;  // at any time
};

// The events of a CPU or of a thread.
struct PerfContext {
    std::vector<PerfEvent> events;
    std::vector<unsigned> order;  // of groups; rotation changes it
    bool needs_rotation = false;
    bool present = false;
    std::uint64_t since_ns = 0;
};

class GuestPerf {
  public:
    GuestPerf(const vpmu::PmuModel& model, const Encodings& encodings);

    PerfContext make_context(const ProfilePlan& plan) const;

    // All times are the guest's. A context must be present to be changed with effect on registers.
    void boot(PmuPort& port);
    void open(PmuPort& port, PerfContext& context, std::uint64_t now_ns);
    void enable(PmuPort& port, PerfContext& context, std::size_t event, std::uint64_t now_ns);
    void enable_all(PmuPort& port, PerfContext& context, std::uint64_t now_ns);
    void disable(PmuPort& port, PerfContext& context, std::size_t event, std::uint64_t now_ns);
    void switch_in(PmuPort& port, PerfContext& context, std::uint64_t now_ns);
    void switch_out(PmuPort& port, PerfContext& context, std::uint64_t now_ns);
    void rotate(PmuPort& port, PerfContext& context, std::uint64_t now_ns);
    void read(PmuPort& port, PerfContext& context, std::uint64_t now_ns);
    // Returns how many samples it took.
    unsigned interrupt(PmuPort& port);

    // What the program caused, so that expected overflows stay known.
    void happened(const EventNumbers& events);
    // Calls `visit` for every event on a counter.
    template <typename Visit>
    void each_active(Visit visit) {
        vpmu::for_each_slot(active_, [&](Slot slot) { visit(*on_counter_[slot]); });
    }

  private:
    template <typename Change>
    void bracketed(PmuPort& port, Change change);
    void pass_time(PerfContext& context, std::uint64_t now_ns);
    void schedule_in(PmuPort& port, PerfContext& context);
    void schedule_out(PmuPort& port, PerfContext& context);
    bool place_group(PmuPort& port, PerfContext& context, unsigned group);
    bool start(PmuPort& port, PerfEvent& event);
    void stop(PmuPort& port, PerfEvent& event);
    void update(PmuPort& port, PerfEvent& event);
    bool next_period(PerfEvent& event);
    bool fits(const PerfContext& context, unsigned group) const;
    Slot free_counter(const vpmu::Event& event, Mask taken) const;

    vpmu::PmuModel model_;
    Encodings encodings_;
    std::unique_ptr<GuestDriver> driver_;
    Mask active_ = 0;
    PerfEvent* on_counter_[vpmu::max_slots] = {};
};

}  // namespace ringside::lab
