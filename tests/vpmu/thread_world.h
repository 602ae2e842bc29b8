// The paravirtual policy's world: threads of guest kernels, switched by the guest inside vCPUs that
// the hypervisor switches, each with a count of its own. Ground truth is a sum for each thread.
#pragma once

#include "vpmu/threads.h"
#include "world.h"

namespace ringside::vpmu::proof {

class ThreadWorld {
  public:
    ThreadWorld(const PmuModel& model, std::uint64_t seed, bool skips_hypercalls = true);

    void step();
    const std::optional<Violation>& violation() const { return violation_; }
    std::uint64_t hypercalls() const { return hypercalls_; }
    std::uint64_t thread_switches() const { return thread_switches_; }

  private:
    static constexpr unsigned events =
        3;  // every thread counts as many as there are, in slots 0..2
    struct Thread {
        unsigned machine = 0;
        int vcpu = -1;
        LogicalControl control;
        std::uint64_t counted[events] = {};
        std::uint64_t period = 0;  // of slot 0; 0 only accumulates
        std::uint64_t left = 0;
        std::uint64_t samples = 0;
        std::uint64_t expected_samples = 0;
    };
    struct Virtual {
        std::unique_ptr<Vcpu> vcpu;
        unsigned machine = 0;
        int cpu = -1;
        int thread = -1;
        LogicalControl loaded;
    };
    struct Processor {
        std::unique_ptr<lab::SimPmu> hardware;
        std::unique_ptr<Cpu<lab::SimPmu>> cpu;
        int vcpu = -1;
    };

    void fail(const char* invariant, std::string detail);
    void schedule(unsigned cpu);
    void switch_thread(unsigned cpu);
    void thread_leaves(Processor& on, Virtual& where);
    void run(unsigned cpu);
    void take_sample(Processor& on, Virtual& where, Thread& thread);
    void read_all(unsigned cpu);
    std::uint64_t truth(const Thread& thread, unsigned event) const {
        return thread.counted[event];
    }

    PmuModel model_;
    Random random_;
    bool skips_hypercalls_;
    std::vector<std::unique_ptr<Vm>> machines_;
    std::vector<std::vector<std::uint64_t>> pages_;  // one for each machine
    std::vector<Virtual> virtuals_;
    std::vector<Thread> threads_;
    std::vector<Processor> processors_;
    std::optional<Violation> violation_;
    std::uint64_t hypercalls_ = 0;
    std::uint64_t thread_switches_ = 0;
};

}  // namespace ringside::vpmu::proof
