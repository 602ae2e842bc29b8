// What ringside doctor found, as passive data. Whoever prints or stores it needs nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ringside/trust.h>

#include "model/event.h"
#include "platform/machine.h"

namespace ringside::trust {

struct Verdict {
    std::string name;
    model::EventKind kind = model::EventKind::hardware;
    CounterState state = CounterState::absent;
    std::string detail;                  // the number behind the verdict, in words
    std::optional<std::uint64_t> count;  // what was counted; unset if it never counted
};

// A test of the PMU as a whole. Without a state it could not be made, and `detail` says why.
struct SelfTest {
    std::string name;
    std::optional<CounterState> state;
    std::string detail;
};

// One hardware counter, found by pinning an event on it. Which register it is, the kernel decides.
struct SlotVerdict {
    int slot = 0;
    std::string event;
    CounterState state = CounterState::ok;
    std::string detail;
    std::optional<std::uint64_t> count;
};

// A counter that stopped counting during a measurement although the kernel said that it ran.
struct Freeze {
    int slot = 0;
    std::string event;
    std::uint64_t at_ns = 0;                // since the watch began; exact to one slice
    std::optional<std::uint64_t> until_ns;  // unset: frozen to the end
};

struct WatchReport {
    std::optional<std::uint64_t> watched_ns;  // unset: there was nothing to watch
    std::uint64_t slices = 0;
    std::vector<Freeze> freezes;
    SelfTest steal;  // do cycles count while the host runs somebody else
    std::string reason;
};

struct UserRead {
    std::optional<CounterState> state;
    std::string detail;
    std::optional<int> width_bits;
};

struct PmuReport {
    std::optional<bool> present;
    std::string reason;           // why it is not there or not known; else what shows that it is
    std::optional<int> counters;  // found by pinning events until one did not get on
    std::optional<int> counters_ok;
    std::string counters_reason;  // when counters is unset
    std::vector<SlotVerdict> slots;
    UserRead user_read;
    std::vector<SelfTest> tests;
    WatchReport watch;
};

struct SamplingReport {
    std::optional<std::string> event;  // what a profiler should sample on here
    std::string reason;
    std::vector<SelfTest> tests;
};

struct KvmReport {
    std::optional<bool> usable;  // a machine with one processor was made
    std::string reason;
    std::optional<int> api_version;
    std::optional<int> max_vcpus;
    std::optional<bool> guest_pmu;  // KVM says that it can lend a PMU
    std::string guest_pmu_reason;
};

struct TimeReport {
    // Ticks of the machine's cycle counter (TSC, CNTVCT_EL0) in a second of its own wall clock.
    std::optional<double> cycles_per_second;
    std::string cycles_reason;
    // The guest's wall clock minus the host's, where the host lends its own.
    std::optional<std::int64_t> guest_ahead_ns;
    std::string host_time_reason;
};

struct StealReport {
    std::optional<bool> supported;
    std::string supported_reason;
    std::optional<std::string> per_thread;  // how a thread's own steal is found
    std::string per_thread_reason;
    // Whether the kernel takes steal out of CPU time: "includes", "excludes" or "undetermined".
    std::string cpu_time;
    std::string cpu_time_reason;
};

// What the hypervisor's shared page says, where there is one.
struct StarvedCounter {
    unsigned vcpu = 0;
    unsigned counter = 0;     // index on the page
    std::uint32_t event = 0;  // select << 8 | unit mask
};

struct PageReport {
    std::optional<std::string> source;  // where it was found
    std::string reason;                 // why there is none, or why it is refused
    bool asked_for = false;             // a file was named
    std::string policy;                 // how the hypervisor shares the PMU
    unsigned vcpus = 0;
    unsigned unreadable_vcpus = 0;  // always being written, or never finished
    std::uint64_t starved_ns = 0;   // how long counters were starved, over all vCPUs
    std::vector<StarvedCounter> starved;
};

struct Report {
    platform::Machine machine;
    KvmReport kvm;
    TimeReport time;
    StealReport steal;
    PmuReport pmu;
    std::vector<Verdict> events;
    SamplingReport sampling;
    PageReport page;
    bool nmi_watchdog = false;  // the kernel holds a counter on every CPU for it
    std::vector<std::string> advice;
    std::vector<std::string> notes;  // what was not looked at, and whom looking may have disturbed
    double took_seconds = 0;
};

}  // namespace ringside::trust
