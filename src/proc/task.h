// What /proc says of processes and their threads. The parsers are pure and total: a strange text
// gives nullopt, never a crash. What a thread is called was chosen by its owner, and may hold
// blanks, parentheses and newlines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include <ringside/result.h>

#include "base/fd.h"
#include "base/sys_root.h"
#include "proc/maps.h"

namespace ringside::proc {

// Those that there are right now, in the order of their numbers. What is no number that a process
// can have (PID_MAX_LIMIT in linux/threads.h) is left out.
Result<std::vector<pid_t>> list_processes(const base::SysRoot& root);
// /proc/PID/task
Result<std::vector<pid_t>> list_threads(const base::SysRoot& root, pid_t pid);

// The process that a thread belongs to, its Tgid.
Result<pid_t> process_of(const base::SysRoot& root, pid_t tid);

// What a thread is called, /proc/TID/comm; a process is called as its first thread.
Result<std::string> read_name(const base::SysRoot& root, pid_t tid);
// QEMU calls the thread of vCPU 3 "CPU 3/KVM".
std::optional<std::uint32_t> vcpu_of_thread_name(std::string_view name);

// proc(5), /proc/PID/stat. Times in ticks of USER_HZ, as they stand there.
struct TaskStat {
    char state = '?';
    pid_t parent = 0;
    std::uint64_t minor_faults = 0;
    std::uint64_t major_faults = 0;
    std::uint64_t user_ticks = 0;
    std::uint64_t system_ticks = 0;
    std::uint64_t children_user_ticks = 0;  // of children that were waited for
    std::uint64_t children_system_ticks = 0;
    // Block I/O and swap-in, by delay accounting; nullopt on kernels before 2.6.18. 0 while the
    // accounting is switched off.
    std::optional<std::uint64_t> block_io_ticks;
};
std::optional<TaskStat> parse_task_stat(std::string_view text);
// nullopt when it is gone. The times and faults of a process are those of all its threads.
std::optional<TaskStat> read_process_stat(const base::SysRoot& root, pid_t pid);
std::optional<TaskStat> read_thread_stat(const base::SysRoot& root, pid_t tid);

// proc(5), /proc/PID/schedstat: what the scheduler keeps for every thread.
struct Schedstat {
    std::uint64_t cpu_ns = 0;
    std::uint64_t waiting_ns = 0;  // runnable, without a CPU
    std::uint64_t arrivals = 0;    // onto a CPU
};
std::optional<Schedstat> parse_schedstat(std::string_view text);
// nullopt when the thread is gone, or the kernel keeps none (CONFIG_SCHED_INFO).
std::optional<Schedstat> read_schedstat(const base::SysRoot& root, pid_t tid);

// /proc/PID/sched, the sums that are there while kernel.sched_schedstats is 1. None of them has the
// sleep the thread is in at the moment; when that began is told by the scheduler's own clock.
struct SleepSums {
    std::uint64_t sleeping_ns = 0;       // interruptible
    std::uint64_t blocked_ns = 0;        // uninterruptible
    std::uint64_t io_ns = 0;             // of blocked_ns: waiting for I/O
    std::uint64_t asleep_since_ns = 0;   // 0: it is not
    std::uint64_t blocked_since_ns = 0;  // 0: it is not
};
std::optional<SleepSums> parse_sleep_sums(std::string_view text);
std::optional<SleepSums> read_sleep_sums(const base::SysRoot& root, pid_t tid);

// /proc/PID/maps
Result<std::vector<Mapping>> read_maps(const base::SysRoot& root, pid_t pid);

// pidfd_open(2): readable once the process has ended.
Result<base::Fd> open_pidfd(pid_t pid);

}  // namespace ringside::proc
