// The CPU lines of /proc/stat, and sums over them that survive what real kernels do: counters that
// step back, CPUs that go away and return.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include <ringside/result.h>

#include "base/sys_root.h"

namespace ringside::proc {

// In ticks of USER_HZ. User time includes guest time, nice includes guest_nice (proc(5)).
struct CpuTicks {
    std::uint64_t user = 0;
    std::uint64_t nice = 0;
    std::uint64_t system = 0;
    std::uint64_t idle = 0;
    std::uint64_t iowait = 0;
    std::uint64_t irq = 0;
    std::uint64_t softirq = 0;
    std::uint64_t steal = 0;

    // Time in which the CPU had something to do, whether it could or not.
    std::uint64_t busy() const { return user + nice + system + irq + softirq + steal; }
    bool operator==(const CpuTicks&) const = default;
};

struct Stat {
    CpuTicks total;
    std::map<int, CpuTicks> cpus;  // online ones
};

struct CpuLine {
    int cpu = 0;  // -1 for the sum over all
    CpuTicks ticks;
};
// A line of /proc/stat; nullopt if it is not a CPU's or makes no sense. Does not allocate.
std::optional<CpuLine> parse_cpu_line(std::string_view line);

// Total: a short line ends with zeros, one that makes no sense is left out. nullopt without any
// "cpu" line.
std::optional<Stat> parse_stat(std::string_view text);
// /proc/stat, for who reads it now and then. Who reads it all the time keeps the file open
// (base::KeptFile) and takes it line by line.
Result<Stat> read_stat(const base::SysRoot& root);

// What each CPU used since the first reading. Steps back count as nothing.
class TickSums {
  public:
    void add(const Stat& now);
    void add(int cpu, const CpuTicks& now);
    const std::map<int, CpuTicks>& since_start() const { return sums_; }

  private:
    std::map<int, CpuTicks> last_;
    std::map<int, CpuTicks> sums_;
};

// Nanoseconds in a tick of /proc/stat.
std::uint64_t tick_ns();

}  // namespace ringside::proc
