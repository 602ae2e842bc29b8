// What was measured, side by side: a side is one place where the program ran (this machine, a
// guest, a file from elsewhere), a run is one execution there. Passive.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/time_budget.h>
#include <ringside/trust.h>

#include "model/measurement.h"
#include "model/stacks.h"

namespace ringside::run {

using model::Measurement;

// Samples of one event in one function.
struct Hit {
    std::string event;
    std::string module;  // "libc.so.6", "[kernel]"
    std::string symbol;
    bool in_kernel = false;
    bool resolved = true;
    double value = 0;    // how much of the event they stand for
    double samples = 0;  // 0 where only the value is known
    std::string mode{};  // of the CPU: "user", "guest_kernel"; empty where only the kernel is told
};

struct Sampled {
    std::string event;
    std::string unit;  // of the values: "ns", "%" where a file has shares alone, or empty
    double samples = 0;
    double lost = 0;
    double value = 0;   // all of it; 0 where that is not known
    bool soft = false;  // sampled in software, in an execution of its own
};

// What came in until a moment of a run, since the moment before.
struct Interval {
    double at_s = 0;
    std::vector<Measurement> counts;
    std::optional<TimeSplit> time{};  // as in Run
};

// What the host took from the recorded CPUs.
struct Stolen {
    struct Reading {
        std::uint64_t time_ns = 0;
        std::uint64_t cpu = 0;
        std::uint64_t stolen_ns = 0;
    };
    std::uint64_t stolen_ns = 0;
    std::uint64_t time_ns = 0;
    std::uint64_t cpus = 0;
    std::vector<Reading> readings;
};

struct Run {
    // Where it was read from a file, the known parts of the time are among them, in ns.
    std::vector<Measurement> counts;
    std::vector<Interval> intervals;  // none where that was not kept
    std::vector<Hit> hits;
    std::vector<Sampled> sampled;
    std::vector<model::StackTree> stacks;  // of each sampled event, where callers are known
    std::optional<int> exit_code;          // as a shell gives it
    // What the program wrote to its standard output, as a digest; empty if that was not kept.
    std::string output_digest;
    // Where it was measured just now: its time, with what tells it.
    std::optional<TimeSplit> time;
    std::optional<Stolen> stolen;       // while samples were taken
    std::vector<std::string> warnings;  // of the profile
    // What it says of its side, where it was measured just now; see Side.
    std::map<std::string, std::string> build_ids;
    std::vector<std::string> notes;

    const Measurement* find(std::string_view name) const;
    const Sampled* find_sampled(std::string_view event) const;
};

// What is not known is empty.
struct Environment {
    std::string kernel;
    std::string cpu;
    std::string hypervisor;  // "none" on bare metal
    std::string vmm;
    std::string clock_source;
    std::optional<int> cpus;
    std::optional<double> memory_bytes;
    std::optional<double> cpu_hz;
};

// Nobody measures more than that; what files have more of is refused.
inline constexpr std::size_t most_sides = 100;
inline constexpr std::size_t most_runs = 1000;    // of a side
inline constexpr std::size_t most_counts = 4096;  // of a run
inline constexpr std::size_t most_sampled = 256;  // events of a run

// By what values are divided.
enum class Per { run, second, instruction, share };
std::string_view to_string(Per per);
std::optional<Per> parse_per(std::string_view text);

// How often a guest left to its host while the command ran there once more, and for how long.
// Without the times that it was idle.
struct Exits {
    struct Reason {
        std::string name;  // "npf", "MSR_WRITE"
        double count = 0;
        double time_ns = 0;
    };
    double count = 0;
    double time_ns = 0;
    std::vector<Reason> reasons;  // longest first
};

// Exits of a side's guest as values of its first run: "vm-exits" and, in ns, "vm-exit-time".
constexpr std::string_view exits_event = "vm-exits";
constexpr std::string_view exit_time_event = "vm-exit-time";

enum class SideKind { native, kvm, tcg, ssh, file };
std::string_view to_string(SideKind kind);
std::optional<SideKind> parse_side_kind(std::string_view text);

struct Side {
    std::string name;
    SideKind kind = SideKind::file;
    std::vector<Run> runs;
    Per per = Per::run;  // what its values are divided by already
    Environment environment;
    std::optional<Exits> exits;                    // of a guest whose host was asked
    std::map<std::string, std::string> build_ids;  // by module
    std::vector<std::string> notes;                // what those who measured had to say
    std::vector<std::string> command;              // that ran, where that is known
    std::string co_run;                            // what ran beside it, or empty
};

}  // namespace ringside::run
