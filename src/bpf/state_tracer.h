// How long threads were on a CPU, waited for one, were blocked or slept, by the BPF program in
// states.bpf.c. Its cost is two hash lookups a context switch and one a wakeup, for the whole
// machine, while a tracer lives; so one tracer serves all budgets of a program.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <sys/types.h>

#include <ringside/result.h>

#include "base/fork.h"
#include "base/mmap.h"
#include "base/sys_root.h"
#include "bpf/program.h"

struct states_group;
struct states_cpu;

namespace ringside::bpf {

// Sums over a group's threads since each was added. The first eight are states, and a thread is in
// one of them at any time: together they are the threads' whole lifetime.
struct StateTotals {
    std::uint64_t running_ns = 0;
    std::uint64_t waiting_ns = 0;   // runnable, while another thread had the CPU
    std::uint64_t io_ns = 0;        // waiting for I/O, as the kernel sees it
    std::uint64_t blocked_ns = 0;   // uninterruptible for another reason
    std::uint64_t paging_ns = 0;    // one of these two, inside of a page fault
    std::uint64_t sleeping_ns = 0;  // interruptible
    std::uint64_t stopped_ns = 0;   // by a signal, a debugger or the freezer
    std::uint64_t unseen_ns = 0;    // the kernel hid from tracing what it did

    std::uint64_t user_ticks_ns = 0;    // what the timer's ticks found in user mode
    std::uint64_t system_ticks_ns = 0;  // and in the kernel
    std::uint64_t fault_cpu_ns = 0;     // of running_ns, serving page faults; if they are traced
    std::uint64_t minor_faults = 0;
    std::uint64_t major_faults = 0;
    std::uint64_t threads = 0;       // that were in the group at some time
    std::uint64_t threads_lost = 0;  // for which there was no room

    // As the kernel's delay accounting has them; 0 while it is switched off.
    std::uint64_t swapin_ns = 0;
    std::uint64_t thrashing_ns = 0;
    std::uint64_t reclaim_ns = 0;
    std::uint64_t compact_ns = 0;
    std::uint64_t wpcopy_ns = 0;

    std::uint64_t lifetime_ns() const {
        return running_ns + waiting_ns + io_ns + blocked_ns + paging_ns + sleeping_ns + stopped_ns +
               unseen_ns;
    }
};

class StateGroup;

// Safe to use from several threads.
class StateTracer : public std::enable_shared_from_this<StateTracer> {
  public:
    // `with_faults` times page faults, too, which costs each of them about 0.2 us.
    static Result<std::shared_ptr<StateTracer>> load(const base::SysRoot& root, bool with_faults);
    StateTracer(const StateTracer&) = delete;
    StateTracer& operator=(const StateTracer&) = delete;

    bool with_faults() const { return with_faults_; }

    // An empty group of threads. Fails when STATES_GROUPS are open.
    Result<StateGroup> make_group(Follow follow);

  private:
    friend class StateGroup;
    StateTracer(base::SysRoot root, bool with_faults)
        : root_(std::move(root)), with_faults_(with_faults) {}

    Result<void> attach();
    Result<void> map_tables();
    Result<void> add(std::uint32_t group, pid_t tid);
    void remove(std::uint32_t group);
    // `only`: the group's one thread, or 0.
    StateTotals read(std::uint32_t group, pid_t only) const;
    void look_at_members() const;

    base::SysRoot root_;
    bool with_faults_;
    base::Mutex mutex_;  // over membership
    std::vector<bool> used_;
    Program program_;
    base::Mmap group_memory_;
    base::Mmap cpu_memory_;
    std::span<states_group> groups_;
    std::span<const states_cpu> cpus_;
    int threads_fd_ = -1;
    int look_fd_ = -1;
    int settle_fd_ = -1;
    int join_fd_ = -1;
    int leave_fd_ = -1;
};

class StateGroup {
  public:
    StateGroup(StateGroup&& other) noexcept;
    StateGroup& operator=(StateGroup&&) = delete;
    ~StateGroup();

    // Follows thread `tid` from now on. Fails when it is gone, or is in as many groups already as
    // it can be (`busy`).
    Result<void> add(pid_t tid);
    // Up to now, for running threads as for sleeping ones.
    StateTotals read() const;

  private:
    friend class StateTracer;
    StateGroup(std::shared_ptr<StateTracer> tracer, std::uint32_t id, Follow follow)
        : tracer_(std::move(tracer)), id_(id), follow_(follow) {}

    static constexpr pid_t several = -1;

    std::shared_ptr<StateTracer> tracer_;
    std::uint32_t id_;
    Follow follow_;
    pid_t only_ = 0;  // the one thread that was added; `several` after more
};

}  // namespace ringside::bpf
