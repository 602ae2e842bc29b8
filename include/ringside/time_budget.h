// Where the time went: the lifetime of a thread, a process, or a command with its children, cut
// into what it did and what it waited for. The parts and the unexplained rest sum up exactly to the
// lifetimes of all threads inside of the measured window, which is wall time times threads where
// all live through it. All times are nanoseconds.
//
//   user, kernel  executed; together with stolen, the time for which it held a CPU
//   stolen        held a CPU that the hypervisor gave to somebody else (<ringside/clocks.h>)
//   waiting       could run, while another thread of this machine had the CPU
//   blocked       waited uninterruptibly: for I/O, or for a lock of the kernel
//   paging        blocked, inside of a page fault: its memory had to be read, or made free, first
//   sleeping      voluntary sleep: timers, locks of its own, pipes, sockets, children
//   stopped       by a signal, a debugger or the freezer
//
// Nothing here throws or prints. Every object may be used from several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <ringside/clocks.h>
#include <ringside/export.h>
#include <ringside/result.h>

namespace ringside {

struct TimePart {
    std::optional<std::uint64_t> ns;  // nullopt: not known here, and so in the unexplained rest
    std::uint64_t error_ns = 0;       // the truth lies within ns +- error_ns
    std::string source;               // what measured it; empty without a value
    std::string reason;               // why there is no value, or why it is an estimate; else empty
};

// How the time off the CPU was found out, best first.
enum class BudgetMethod {
    bpf_sched_states,  // every change of state, seen by BPF at the scheduler's tracepoints
    kernel_sums,       // what the kernel adds up itself: schedstat, schedstats, delay accounting
};
// "bpf_sched_states", "kernel_sums". Static storage.
RINGSIDE_API std::string_view to_string(BudgetMethod method);

// Page faults and memory pressure. The times overlap with the parts, mostly with kernel and paging.
struct PagingDetails {
    std::optional<std::uint64_t> minor_faults;
    std::optional<std::uint64_t> major_faults;
    TimePart fault_cpu;  // of kernel: serving page faults
    // As the kernel's delay accounting has them.
    TimePart swapin;
    TimePart thrashing;
    TimePart reclaim;
    TimePart compaction;
    TimePart write_protect_copy;
};

// Since the budget was opened.
struct TimeSplit {
    BudgetMethod method = BudgetMethod::kernel_sums;
    Times clock;  // wall time (real_ns), and CPU time as the clocks have it

    std::uint64_t lifetime_ns = 0;  // of all threads together: the whole that is split
    std::uint64_t threads = 0;      // that lived at some time

    TimePart user;
    TimePart kernel;
    TimePart stolen;
    TimePart waiting;
    TimePart blocked;
    TimePart paging;
    TimePart sleeping;
    TimePart stopped;
    // lifetime_ns minus all known parts. Below 0 where parts overlap; by more than error_ns is a
    // contradiction, and unexplained_reason says so.
    std::int64_t unexplained_ns = 0;
    std::uint64_t error_ns = 0;      // of the rest: the errors of all parts together
    std::string unexplained_reason;  // what would have explained it: a sysctl, a permission

    std::optional<std::uint64_t> blocked_on_io_ns;  // of blocked and paging, what was I/O
    PagingDetails details;
};

// Of one thread or of several together. What ended threads used stays in.
class RINGSIDE_API TimeBudget {
  public:
    TimeBudget(TimeBudget&&) noexcept;
    TimeBudget& operator=(TimeBudget&&) noexcept;
    ~TimeBudget();

    // Some microseconds for a thread by BPF, some 0.1 ms for a process; by the kernel's sums some
    // tens of microseconds for each thread. After the end of a process this gives all that was
    // known of it; by the kernel's sums that is more before it is waited for.
    TimeSplit read() const;

  private:
    friend class TimeBudgets;
    struct Impl;
    explicit TimeBudget(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

struct BudgetOptions {
    // Use this method or none; for comparing methods.
    std::optional<BudgetMethod> only;
    // BPF adds about 0.5 us to every context switch of the machine while a budget is open.
    bool allow_bpf = true;
    // Opens in about a millisecond: no BPF, and a quick clock (<ringside/clocks.h>).
    bool quick = false;
    // Times page faults, with BPF; this adds about 0.2 us to every page fault of the machine.
    bool time_faults = false;
};

// Opens budgets. Holds what they share; keep one for all, it may go before them.
class RINGSIDE_API TimeBudgets {
  public:
    // Looks at the machine and chooses the methods; some 100 ms. Never fails: what cannot be
    // known is said in the readings.
    static TimeBudgets open(const BudgetOptions& options = {});
    TimeBudgets(TimeBudgets&&) noexcept;
    TimeBudgets& operator=(TimeBudgets&&) noexcept;
    ~TimeBudgets();

    // The calling thread (0) or any thread. Fails when there is no such thread, or `only` asks for
    // a method that does not work here.
    Result<TimeBudget> thread(int tid = 0) const;
    // A process with all its threads, from now on; 0 is our own. A child that is held before exec
    // is followed from its first instruction.
    Result<TimeBudget> process(int pid = 0, Follow follow = Follow::threads) const;

  private:
    struct Impl;
    explicit TimeBudgets(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

}  // namespace ringside
