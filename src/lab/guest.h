// One vCPU's guest: threads that cause events, the kernel that schedules them, and whoever
// profiles. It keeps the truth: what really happened, for each thread.
#pragma once

#include <span>
#include <string>

#include "lab/profiler.h"
#include "lab/sim_pmu.h"

namespace ringside::lab {

struct GuestThread {
    explicit GuestThread(const ThreadPlan& planned)
        : plan(&planned), samples(planned.phases.size()) {}

    const Phase& phase() const { return plan->phases[current]; }

    const ThreadPlan* plan;
    std::size_t current = 0;    // phase
    std::uint64_t done_ns = 0;  // of it
    unsigned exits_done = 0;    // of it
    EventNumbers owed{};        // millionths of events, so that none is lost between pieces
    EventNumbers truth{};
    EventNumbers kernel_truth{};         // the part of it in kernel phases
    std::uint64_t lost_cycles = 0;       // to exits and register moves while it ran
    std::vector<std::uint64_t> samples;  // by phase
    bool started = false;
};

class Guest {
  public:
    Guest(const MachinePlan& plan, const Encodings& encodings, const Costs& costs,
          std::unique_ptr<Profiler> profiler);

    void boot(PmuPort& port);
    void finish(PmuPort& port);

    // How long its program can run before the kernel has something to do or leaves; at most
    // `most_ns`, at least 1.
    std::uint64_t next_stop_ns(std::uint64_t most_ns) const;
    // Runs so long; the events that happened.
    std::span<const Occurrence> run(std::uint64_t ns);
    vpmu::Mode mode() const {
        return running().phase().kernel ? vpmu::Mode::guest_kernel : vpmu::Mode::guest_user;
    }
    // Is the program at a place that leaves the guest? Says so once.
    bool takes_exit();
    // Timers, thread switches.
    void kernel_work(PmuPort& port);
    void interrupt(PmuPort& port);
    // Its counters also counted this, of the VMM's.
    void counted_elsewhere(const EventNumbers& events) {
        if (profiler_) profiler_->happened(events);
    }
    void starved(vpmu::Mask slots) {
        if (profiler_) profiler_->starved(slots);
    }

    std::uint64_t now_ns() const { return now_ns_; }
    unsigned running_thread() const { return running_; }
    GuestThread& running() { return threads_[running_]; }
    const GuestThread& running() const { return threads_[running_]; }
    const std::vector<GuestThread>& threads() const { return threads_; }
    const Profiler* profiler() const { return profiler_.get(); }

  private:
    std::uint64_t overflow_ns() const;
    void switch_to(PmuPort& port, unsigned thread);
    void end_phase();

    const Costs& costs_;
    Encodings encodings_;
    std::unique_ptr<Profiler> profiler_;  // may be null
    std::vector<GuestThread> threads_;
    unsigned running_ = 0;
    std::uint64_t now_ns_ = 0;
    std::uint64_t next_tick_ns_;
    std::uint64_t next_background_ns_;
    std::array<Occurrence, event_names> happened_{};
};

}  // namespace ringside::lab
