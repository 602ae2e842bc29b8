// Where the time of CPUs or of a cgroup went, as the kernel adds it up: what can be said of a whole
// machine, whose threads are not followed one by one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "base/sys_root.h"

namespace ringside::accounting {

// Since the meter was made. In steps of 10 ms where they come from /proc/stat.
struct MachineTime {
    std::uint64_t wall_ns = 0;
    std::uint64_t cpus = 0;     // that were measured; 0 for a cgroup
    std::uint64_t step_ns = 0;  // how fine the kernel counts
    std::optional<std::uint64_t> user_ns;
    std::optional<std::uint64_t> kernel_ns;  // with interrupts
    std::optional<std::uint64_t> stolen_ns;
    std::optional<std::uint64_t> idle_ns;
    std::optional<std::uint64_t> idle_io_ns;  // idle, and a thread of that CPU waits for I/O
    std::string source;

    // Of a machine: wall time on all CPUs minus all that is known.
    std::optional<std::int64_t> unexplained_ns() const;
};

// What came to `earlier` until `later`.
MachineTime between(const MachineTime& earlier, const MachineTime& later);

// Used by one thread at a time.
class MachineMeter {
  public:
    virtual ~MachineMeter() = default;
    virtual Result<MachineTime> read() = 0;
};
using MachineMeterPtr = std::unique_ptr<MachineMeter>;

// Of these CPUs, or of all if there are none. Fails when /proc/stat cannot be read.
Result<MachineMeterPtr> make_cpu_time_meter(const base::SysRoot& root, std::vector<int> cpus);
// `path` is below the cgroup file system. Fails where the kernel keeps no CPU time for it.
Result<MachineMeterPtr> make_cgroup_time_meter(const base::SysRoot& root, const std::string& path);

}  // namespace ringside::accounting
