// The kernel's delay accounting, asked for over generic netlink (linux/taskstats.h): what a thread
// waited for, also of threads that ended, whose last words the kernel sends to whoever listens.
// Needs CAP_NET_ADMIN, and the first network and pid namespace.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <sys/types.h>

#include <ringside/result.h>

#include "base/fd.h"

namespace ringside::accounting {

// Of one thread, since it began. The delays below cpu_delay_ns are 0 while kernel.task_delayacct
// is 0; those that a kernel does not know yet are nullopt.
struct TaskDelays {
    pid_t tid = 0;
    std::uint64_t cpu_delay_ns = 0;  // runnable, without a CPU
    std::uint64_t block_io_ns = 0;
    std::uint64_t swapin_ns = 0;
    std::uint64_t user_us = 0;
    std::uint64_t system_us = 0;
    std::uint64_t minor_faults = 0;
    std::uint64_t major_faults = 0;
    std::optional<std::uint64_t> reclaim_ns;
    std::optional<std::uint64_t> thrashing_ns;
    std::optional<std::uint64_t> compaction_ns;
    std::optional<std::uint64_t> write_protect_copy_ns;
};

// The threads that one datagram of the family `family` tells of, in order. Total: what is cut short
// or of another kind is left out.
std::vector<TaskDelays> parse_taskstats(std::span<const std::byte> datagram, std::uint16_t family);

// The number that the kernel gave the family TASKSTATS, from its answer to that question.
std::optional<std::uint16_t> parse_family(std::span<const std::byte> datagram);

// One user at a time.
class Taskstats {
  public:
    // Fails without permission, or where the kernel has no taskstats.
    static Result<Taskstats> open();

    // nullopt when it is gone.
    std::optional<TaskDelays> read(pid_t tid);

    // From now on, keeps the last words of every thread of the machine that ends.
    Result<void> listen();
    // Those that ended since the last call.
    std::vector<TaskDelays> take_ended();
    // Some were lost: more ended than the kernel keeps for us between two calls.
    bool lost() const { return lost_; }

  private:
    Taskstats(base::Fd asking, std::uint16_t family)
        : asking_(std::move(asking)), family_(family) {}

    base::Fd asking_;
    base::Fd listening_;
    std::uint16_t family_;
    bool lost_ = false;
};

}  // namespace ringside::accounting
