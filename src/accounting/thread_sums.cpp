#include "accounting/thread_sums.h"

#include <algorithm>
#include <array>

#include <ringside/clocks.h>

#include "clocks/threads.h"
#include "proc/stat.h"
#include "proc/task.h"

namespace ringside::accounting {

namespace {

using Sum = std::optional<std::uint64_t> ThreadSums::*;

constexpr std::array<Sum, 11> all_sums{
    &ThreadSums::waiting_ns,    &ThreadSums::blocked_ns,           &ThreadSums::io_ns,
    &ThreadSums::sleeping_ns,   &ThreadSums::minor_faults,         &ThreadSums::major_faults,
    &ThreadSums::swapin_ns,     &ThreadSums::thrashing_ns,         &ThreadSums::reclaim_ns,
    &ThreadSums::compaction_ns, &ThreadSums::write_protect_copy_ns};

// "" if the sysctl is there and 1.
std::string missing_sysctl(const base::SysRoot& root, const std::string& name,
                           const std::string& option) {
    std::string path = "/proc/sys/" + name;
    std::replace(path.begin(), path.end(), '.', '/');
    const auto value = root.read_trimmed(path);
    if (!value) return "this kernel has no " + name + " (" + option + ")";
    return *value == "0" ? name + " is 0" : std::string();
}

void take_delays(const TaskDelays& delays, ThreadSums& sums) {
    sums.swapin_ns = delays.swapin_ns;
    sums.thrashing_ns = delays.thrashing_ns;
    sums.reclaim_ns = delays.reclaim_ns;
    sums.compaction_ns = delays.compaction_ns;
    sums.write_protect_copy_ns = delays.write_protect_copy_ns;
    if (!sums.io_ns) sums.io_ns = delays.block_io_ns;
}

// Up to now, of something that began then; 0: it did not.
std::uint64_t lasting_ns(std::uint64_t now_ns, std::uint64_t since_ns) {
    return since_ns != 0 && now_ns > since_ns ? now_ns - since_ns : 0;
}

// The sleep it is in counts as well, or a budget that is opened meanwhile would get all of it.
void read_sleeps(const base::SysRoot& root, std::int64_t scheduler_ahead_ns, pid_t tid,
                 ThreadSums& sums) {
    const auto sleeps = proc::read_sleep_sums(root, tid);
    if (!sleeps) return;
    const std::uint64_t now_ns = real_ns() + static_cast<std::uint64_t>(scheduler_ahead_ns);
    sums.sleeping_ns = sleeps->sleeping_ns + lasting_ns(now_ns, sleeps->asleep_since_ns);
    sums.blocked_ns = sleeps->blocked_ns + lasting_ns(now_ns, sleeps->blocked_since_ns);
    sums.io_ns = sleeps->io_ns;
}

}  // namespace

ThreadSums ThreadSums::since(const ThreadSums& before) const {
    ThreadSums grown;
    for (const Sum sum : all_sums) {
        const auto& now = this->*sum;
        const auto& then = before.*sum;
        if (now && then) grown.*sum = *now > *then ? *now - *then : 0;
    }
    return grown;
}

void ThreadSums::add(const ThreadSums& other) {
    for (const Sum sum : all_sums) {
        auto& mine = this->*sum;
        const auto& more = other.*sum;
        mine = mine && more ? std::optional(*mine + *more) : std::nullopt;
    }
}

SourcesMissing find_missing(const base::SysRoot& root) {
    return {missing_sysctl(root, "kernel.sched_schedstats", "CONFIG_SCHEDSTATS"),
            missing_sysctl(root, "kernel.task_delayacct", "CONFIG_TASK_DELAY_ACCT, Linux 5.14")};
}

std::optional<ThreadSums> read_sums(const base::SysRoot& root, Sources& sources, pid_t tid) {
    const auto stat = proc::read_thread_stat(root, tid);
    if (!stat) return std::nullopt;
    ThreadSums sums;
    sums.minor_faults = stat->minor_faults;
    sums.major_faults = stat->major_faults;
    if (const auto scheduler = proc::read_schedstat(root, tid)) {
        sums.waiting_ns = scheduler->waiting_ns;
    }
    if (sources.missing.schedstats.empty())
        read_sleeps(root, sources.scheduler_ahead_ns, tid, sums);
    if (!sources.missing.delay_accounting.empty()) return sums;
    if (const auto delays = sources.taskstats ? sources.taskstats->read(tid) : std::nullopt) {
        take_delays(*delays, sums);
    } else if (!sums.io_ns && stat->block_io_ticks) {
        sums.io_ns = *stat->block_io_ticks * proc::tick_ns();
    }
    return sums;
}

ThreadSums sums_of(const TaskDelays& delays, const SourcesMissing& missing) {
    ThreadSums sums;
    sums.minor_faults = delays.minor_faults;
    sums.major_faults = delays.major_faults;
    sums.waiting_ns = delays.cpu_delay_ns;
    if (missing.delay_accounting.empty()) take_delays(delays, sums);
    return sums;
}

}  // namespace ringside::accounting
