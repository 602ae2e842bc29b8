// What the kernel added up for one thread, from whichever source has it: schedstat, schedstats,
// taskstats, stat. Which are switched off is known before the first is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

#include "accounting/taskstats.h"
#include "base/sys_root.h"

namespace ringside::accounting {

// Since the thread began.
struct ThreadSums {
    std::optional<std::uint64_t> waiting_ns;
    std::optional<std::uint64_t> blocked_ns;
    std::optional<std::uint64_t> io_ns;
    std::optional<std::uint64_t> sleeping_ns;
    std::optional<std::uint64_t> minor_faults;
    std::optional<std::uint64_t> major_faults;
    std::optional<std::uint64_t> swapin_ns;
    std::optional<std::uint64_t> thrashing_ns;
    std::optional<std::uint64_t> reclaim_ns;
    std::optional<std::uint64_t> compaction_ns;
    std::optional<std::uint64_t> write_protect_copy_ns;

    // Member by member; what either does not know stays unknown.
    ThreadSums since(const ThreadSums& before) const;
    void add(const ThreadSums& other);
};

// Each empty if the source is there, else why not, with the sysctl or permission named.
struct SourcesMissing {
    std::string schedstats;        // sleeping, blocked
    std::string delay_accounting;  // block I/O, swap-in, thrashing, ...
};
SourcesMissing find_missing(const base::SysRoot& root);

struct Sources {
    SourcesMissing missing;
    std::optional<Taskstats> taskstats;
    // The scheduler's clock minus CLOCK_MONOTONIC.
    std::int64_t scheduler_ahead_ns = 0;
};

// nullopt when the thread is gone.
std::optional<ThreadSums> read_sums(const base::SysRoot& root, Sources& sources, pid_t tid);
// From the last words of a thread; what they do not tell stays unknown.
ThreadSums sums_of(const TaskDelays& delays, const SourcesMissing& missing);

}  // namespace ringside::accounting
