// Clocks that know about steal: the time a hypervisor gave to somebody else while the guest
// believed that its thread ran. All times are nanoseconds.
//
//   real         wall time, monotonic
//   cpu          what the kernel charges to a thread; depending on the kernel with or without steal
//   occupied     how long the thread held a (virtual) CPU, as the guest sees it, steal included
//   steal        the part of occupied in which the CPU was not really running
//   compensated  occupied minus steal: the time the thread was really executed
//
// Nothing here throws or prints. Every object may be used from several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/export.h>
#include <ringside/result.h>

namespace ringside {

// Monotonic wall time, through the vDSO. Cannot fail.
RINGSIDE_API std::uint64_t real_ns();
// CPU time of the calling thread and of its process, as the kernel charges it.
RINGSIDE_API std::uint64_t thread_cpu_ns();
RINGSIDE_API std::uint64_t process_cpu_ns();

// The counter that ticks at a constant rate: TSC on x86, CNTVCT_EL0 on arm64. A few nanoseconds.
RINGSIDE_API std::uint64_t cycles();

struct CycleRate {
    double hz = 0;
    std::string source;  // who says so: "CNTFRQ_EL0", "the kernel (perf)", a CPUID leaf, "measured"
};
// How fast cycles() counts. May take 20 ms, where it must be measured.
RINGSIDE_API CycleRate cycle_rate();

// Where a steal value comes from, best first.
enum class StealMethod {
    not_virtual,              // no hypervisor, no steal: exactly 0
    cpu_time_excludes_steal,  // perf's task-clock minus CPU time, on kernels that subtract steal
    bpf_sched_switch,         // the CPU's own counter, read at every context switch
    cpu_share,                // each CPU's steal in /proc/stat, by the share of the CPU occupied
    cpu_counter,              // a CPU's own counter, read at both ends
    proc_stat,                // a CPU's steal in /proc/stat: steps of 10 ms
    none,                     // not known here; the reason is given
};
// "not_virtual", "cpu_time_excludes_steal", ... Static storage.
RINGSIDE_API std::string_view to_string(StealMethod method);

struct Steal {
    std::optional<std::uint64_t> ns;  // nullopt: not known, which is not 0
    std::uint64_t error_ns = 0;       // the truth lies within ns +- error_ns
    StealMethod method = StealMethod::none;
    std::string reason;  // why there is no value, or why it is an estimate; else empty
};

// All since the clock was opened, none ever decreases.
struct Times {
    std::uint64_t real_ns = 0;
    std::optional<std::uint64_t> cpu_ns;
    std::optional<std::uint64_t> occupied_ns;
    Steal steal;
    std::optional<std::uint64_t> compensated_ns;
};

// Of one thread or of several together. What ended threads used stays in.
class RINGSIDE_API Clock {
  public:
    Clock(Clock&&) noexcept;
    Clock& operator=(Clock&&) noexcept;
    ~Clock();

    // 1 to 4 us for the calling thread by the first three methods, 30 to 80 us by cpu_share. When
    // the thread or process is gone this gives what it had used: all of it with BPF, else as of the
    // last read.
    Times read() const;

  private:
    friend class Clocks;
    struct Impl;
    explicit Clock(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

struct CpuSteal {
    int cpu = 0;
    Steal steal;
};

struct MachineSteal {
    Steal total;
    std::vector<CpuSteal> cpus;  // those that were online at some time since opening
};

// Stolen time of every CPU and of the machine, since it was opened.
class RINGSIDE_API CpuStealClock {
  public:
    CpuStealClock(CpuStealClock&&) noexcept;
    CpuStealClock& operator=(CpuStealClock&&) noexcept;
    ~CpuStealClock();

    // Fails when /proc/stat cannot be read.
    Result<MachineSteal> read() const;

  private:
    friend class Clocks;
    struct Impl;
    explicit CpuStealClock(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// Whether this kernel takes steal out of CPU time, found by measuring.
struct StealAccounting {
    enum class Answer {
        excludes,      // CPU time has steal taken out
        includes,      // stolen time is charged to the thread that was on the CPU
        undetermined,  // nothing was stolen yet that could show it
    };
    Answer answer = Answer::undetermined;
    std::string evidence;  // the numbers behind the answer
};
RINGSIDE_API std::string_view to_string(StealAccounting::Answer answer);

enum class Follow {
    threads,   // the process and threads it makes later
    children,  // also the processes it makes later
};

struct ClockOptions {
    // Use this method or none; for comparing methods.
    std::optional<StealMethod> only;
    // BPF adds about 0.3 us to every context switch of the machine while it is in use.
    bool allow_bpf = true;
    // Opens in about a millisecond, for short measurements: no BPF, and the kernel's types are not
    // looked into, so that estimates stand where the exact methods would.
    bool quick = false;
};

// Opens clocks. Holds what they share; keep one for all, it may go before them.
class RINGSIDE_API Clocks {
  public:
    // Looks at the machine and chooses the methods; some 100 ms. Never fails: what cannot be
    // known is said in the readings.
    static Clocks open(const ClockOptions& options = {});
    Clocks(Clocks&&) noexcept;
    Clocks& operator=(Clocks&&) noexcept;
    ~Clocks();

    // The calling thread (0) or any thread. Fails when there is no such thread.
    Result<Clock> thread(int tid = 0) const;
    // A process with all its threads, from now on; 0 is our own. A child that is held before exec
    // is followed from its first instruction. Fails when there is no such process.
    Result<Clock> process(int pid = 0, Follow follow = Follow::threads) const;
    // Fails when /proc/stat cannot be read.
    Result<CpuStealClock> cpu_steal() const;

    // What was found out so far; an undetermined answer may be known later.
    StealAccounting steal_accounting() const;

  private:
    struct Impl;
    explicit Clocks(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

}  // namespace ringside
