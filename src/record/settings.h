// What is recorded, of whom and how. Passive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/event.h"
#include "perf/event_fd.h"

namespace ringside::record {

enum class CallGraph { none, frame_pointers, dwarf, lbr };
std::string_view to_string(CallGraph kind);

struct SampledEvent {
    model::Event event;
    std::vector<int> cpus;     // where its PMU is; empty: everywhere
    std::uint64_t period = 0;  // counts between two samples of it, whatever the settings say
};

struct Settings {
    std::vector<SampledEvent> events;
    // Threads, each sampled on every CPU, or CPUs.
    std::vector<perf::Target> targets;
    bool inherit = false;        // threads and children made later, too
    bool start_on_exec = false;  // the target waits for its exec
    bool all_processes = false;  // say of every process what it has mapped, not only of targets
    std::uint64_t frequency_hz = 999;
    std::uint64_t period = 0;  // counts between two samples, instead of a frequency
    CallGraph call_graph = CallGraph::none;
    std::uint32_t stack_bytes = 8192;                 // of each sample, for CallGraph::dwarf
    bool guest = false;                               // also while a guest of ours runs
    bool off_cpu = false;                             // also where threads wait, and for how long
    std::size_t buffer_bytes = std::size_t{1} << 20;  // for each CPU
    std::string file;
    std::vector<std::string> command_line;  // ours, for the file
    std::string version;                    // likewise
};

}  // namespace ringside::record
