// What /proc says of one thread or process: stat and sched. Pure readers of text; total, so that a
// strange line gives nullopt and never a crash.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::accounting {

// proc(5), /proc/PID/stat. Times in ticks of USER_HZ, as they stand there.
struct TaskStat {
    char state = '?';
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

}  // namespace ringside::accounting
