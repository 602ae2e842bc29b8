// The workloads that provoke events, and the independent witnesses of what they caused.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/mmap.h"

namespace ringside::trust {

// `nothing` is `loop` with one iteration: what a measurement costs itself.
enum class Workload { nothing, loop, memory, branches, code, faults, switches, moves };
// By its name in data/trust/provocation.csv.
std::optional<Workload> workload_named(std::string_view name);

// Somebody else's count of the same thing.
enum class Witness { none, loop, clock, faults, minor_faults, major_faults, switches, moves };
std::optional<Witness> witness_named(std::string_view name);

struct Interval {
    std::uint64_t least = 0;
    std::uint64_t most = UINT64_MAX;
};

// What happened while a workload ran, as the kernel's accounting and the clocks saw it.
struct Caused {
    bool ran = true;
    std::string why_not;  // when it could not run here
    Interval clock_ns;    // at least the thread's CPU time, at most the wall's
    std::uint64_t minor_faults = 0;
    std::uint64_t major_faults = 0;
    std::uint64_t switches = 0;
    std::uint64_t moves = 0;

    // nullopt for Witness::none and Witness::loop.
    std::optional<Interval> seen_by(Witness witness) const;
};

// Iterations of the known loop in one measurement.
inline constexpr std::uint64_t measured_iterations = 1'000'000;

// Works on the calling thread alone; its CPU affinity is as before when a workload ends.
class Workbench {
  public:
    // Calls start() and stop() as close around the work as possible; witnesses are read outside.
    using Toggle = std::function<void()>;
    Caused run(Workload workload, const Toggle& start, const Toggle& stop);

  private:
    Caused walk_memory(const Toggle& start, const Toggle& stop);

    base::Mmap arena_;  // made when it is first needed
};

}  // namespace ringside::trust
