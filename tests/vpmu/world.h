// A small world in which anything may happen in any order: CPUs, machines, a VMM and host events,
// driven by random numbers or by an explorer. Beside the engine every vCPU has a PMU of its own, a
// SimPmu that nobody shares. The engine is right if no guest can tell the difference.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vpmu/cpu.h"
#include "vpmu/snapshot.h"
#include "watched_pmu.h"

namespace ringside::vpmu::proof {

struct Setup {
    PmuModel host;
    PmuModel guest;
    Policy policy = Policy::mediated;
    unsigned cpus = 2;
    unsigned machines = 2;
    unsigned vcpus_each = 2;
    bool direct = false;          // Arm: no traps
    bool emulates_chain = false;  // Arm: the hardware has no CHAIN
    bool host_events = true;
    bool checks = true;  // off where the checks' own accesses would disturb what is measured
    std::uint64_t seed = 1;

    std::string name() const;
};

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed * 2654435769u + 88172645463325252ull) {}
    std::uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_;
    }
    unsigned below(unsigned bound) { return static_cast<unsigned>((next() >> 20) % bound); }
    bool one_in(unsigned n) { return below(n) == 0; }

  private:
    std::uint64_t state_;
};

// A promise of the engine that was broken: its name, and what was seen.
struct Violation {
    std::string invariant;
    std::string detail;
};

class World {
  public:
    explicit World(const Setup& setup);

    // One random happening; the first broken promise ends the world.
    void step();
    const std::optional<Violation>& violation() const { return violation_; }
    std::uint64_t steps() const { return steps_; }
    std::uint64_t moves() const;

    // The same happenings, one by one, for the explorer. All are ignored where impossible.
    void switch_to(unsigned cpu, unsigned vcpu);
    void switch_away(unsigned cpu);
    void enter(unsigned cpu);
    void leave(unsigned cpu, ExitReason why);
    void run_guest(unsigned cpu, Mode mode, std::span<const lab::Occurrence> happened);
    void run_host(unsigned cpu, std::span<const lab::Occurrence> happened);
    void access(unsigned cpu, Register which, bool writes, std::uint64_t value,
                Privilege privilege);
    void emulate(unsigned cpu);
    void change_filter(unsigned machine);
    void migrate(unsigned vcpu);
    void inject(unsigned cpu);
    // Reads every register of every scheduled guest, and compares whatever is in memory.
    void check_all();

  private:
    struct Guest {
        std::unique_ptr<Vcpu> vcpu;
        std::unique_ptr<lab::SimPmu> truth;
        vpmu_page_vcpu page = {};
        unsigned machine = 0;
        int cpu = -1;
        bool odd_event = false;
        std::vector<ViewEntry> counted;  // what its counters counted, by event
    };
    struct Processor {
        std::unique_ptr<WatchedPmu> hardware;
        std::unique_ptr<Cpu<WatchedPmu>> cpu;
        int guest = -1;
        bool in_guest = false;
    };
    struct Watched {
        unsigned cpu;
        EventId id;
        HostEventRequest request;
        std::uint64_t expected = 0;
    };

    // No running counter may be written while owners change.
    class StoppedCheck {
      public:
        StoppedCheck(World& world, unsigned cpu) : world_(world), cpu_(cpu), before_(writes()) {}
        ~StoppedCheck() {
            if (writes() != before_) world_.fail("stopped_before_a_load", "a counter ran");
        }
        StoppedCheck(const StoppedCheck&) = delete;
        StoppedCheck& operator=(const StoppedCheck&) = delete;

      private:
        std::uint64_t writes() const {
            return world_.processors_[cpu_].hardware->writes_while_running();
        }
        World& world_;
        unsigned cpu_;
        std::uint64_t before_;
    };

    void fail(const char* invariant, std::string detail);
    void step_host(unsigned cpu);
    void step_guest(unsigned cpu);
    void random_access(unsigned cpu);
    void random_run(unsigned cpu);
    void random_host_event(unsigned cpu);
    Guest& guest_on(Processor& on) { return guests_[static_cast<unsigned>(on.guest)]; }
    void pull(Guest& guest);
    void update_denied(Guest& guest);
    void run_truth(Guest& guest, Mode mode, std::span<const lab::Occurrence> happened);
    void expect_host_counts(unsigned cpu, Mode mode, std::span<const lab::Occurrence> happened);
    void after_guest_ran(unsigned cpu, Mask overflow_before);
    void compare(Guest& guest, Register which, bool writes, Access got, Access wanted);
    void check_interrupt(Guest& guest);
    void check_memory(Guest& guest);
    void check_page(const Guest& guest);
    void check_running(unsigned cpu);
    void check_left_behind(unsigned cpu);
    void check_host_events();
    void check_view(unsigned machine);

    Setup setup_;
    Random random_;
    std::vector<std::unique_ptr<Vm>> machines_;
    std::vector<std::vector<std::uint16_t>> denied_;  // by machine: event selects
    std::vector<Guest> guests_;
    std::vector<Processor> processors_;
    std::vector<Watched> watched_;
    std::vector<Register> registers_;
    std::vector<lab::Occurrence> palette_;
    std::optional<Violation> violation_;
    std::uint64_t steps_ = 0;
};

// Every setup the proof covers.
std::vector<Setup> all_setups();

}  // namespace ringside::vpmu::proof
