// Who counts inside a guest. The guest's kernel calls it when threads come and go and when its
// timers are due; it touches the PMU through the port.
#pragma once

#include <memory>
#include <vector>

#include "lab/costs.h"
#include "lab/pmu_port.h"
#include "lab/scenario.h"

namespace ringside::lab {

inline constexpr std::uint64_t never_ns = ~std::uint64_t{0};

struct Count {
    std::uint64_t value = 0;  // scaled, if the event was not always on a counter
    std::uint64_t enabled_ns = 0;
    std::uint64_t running_ns = 0;
    bool starved = false;  // at any time
};

class Profiler {
  public:
    virtual ~Profiler() = default;

    virtual void boot(PmuPort&) {}
    // A thread runs for the first time, stops running, runs again. Times are the guest's.
    virtual void start(PmuPort& port, unsigned thread, std::uint64_t now_ns) = 0;
    virtual void switch_out(PmuPort& port, unsigned thread, std::uint64_t now_ns) = 0;
    virtual void switch_in(PmuPort& port, unsigned thread, std::uint64_t now_ns) = 0;
    // The measurement ends while `thread` runs.
    virtual void finish(PmuPort& port, unsigned thread, std::uint64_t now_ns) = 0;
    // Returns how many samples it took.
    virtual unsigned interrupt(PmuPort& port) = 0;

    // The next timer, and what to do when it is due.
    virtual std::uint64_t timer_ns() const { return never_ns; }
    virtual void on_timer(PmuPort&, unsigned, std::uint64_t) {}

    // Does a preemption change anything for it?
    virtual bool follows_threads() const = 0;
    // Events happened; and how many of one more until a counter interrupts, 0 if unknown.
    virtual void happened(const EventNumbers& events) = 0;
    virtual EventNumbers to_overflow() const = 0;
    // The VMM said that these counters stand still although they should run.
    virtual void starved(vpmu::Mask) {}

    // Of the thread, or of the whole vCPU if the profiler does not follow threads.
    virtual std::vector<Count> counts(unsigned thread) const = 0;
};

std::unique_ptr<Profiler> make_perf(const MachinePlan& plan, const Encodings& encodings,
                                    const Costs& costs);
// perfctr-xen's: counters of each thread on a page that `vcpu_page` is part of.
std::unique_ptr<Profiler> make_thread_counters(const MachinePlan& plan, const Encodings& encodings,
                                               void* page);

}  // namespace ringside::lab
