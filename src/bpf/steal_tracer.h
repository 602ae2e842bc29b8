// Stolen time charged to threads at context switches, by the BPF program in steal.bpf.c. Needs root
// (CAP_BPF and CAP_PERFMON) and a kernel with BTF. Its cost is one hash lookup a context switch,
// for the whole machine, while a tracer lives; so one tracer serves all clocks of a program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <sys/types.h>

#include <ringside/result.h>

#include "base/fork.h"
#include "base/mmap.h"
#include "base/sys_root.h"
#include "bpf/program.h"

struct steal_group;
struct steal_cpu;

namespace ringside::bpf {

struct GroupTotals {
    std::uint64_t steal_ns = 0;
    std::uint64_t occupied_ns = 0;
    std::uint64_t cpu_ns = 0;
    std::uint64_t intervals = 0;
    std::uint64_t uncertain_ns = 0;  // of steal_ns, may belong to a neighbour; see steal_layout.h
};

enum class StealSource { unknown, kvm, arm_pv, accounted };

struct CpuCounters {
    int cpu = 0;
    StealSource source = StealSource::unknown;
    std::uint64_t steal_ns = 0;       // since the vCPU began
    std::uint64_t subtracted_ns = 0;  // of it, taken out of CPU time by the scheduler
};

class StealGroup;

// Safe to use from several threads.
class StealTracer : public std::enable_shared_from_this<StealTracer> {
  public:
    static Result<std::shared_ptr<StealTracer>> load(const base::SysRoot& root);
    StealTracer(const StealTracer&) = delete;
    StealTracer& operator=(const StealTracer&) = delete;

    // An empty group of threads. Fails when STEAL_GROUPS are open.
    Result<StealGroup> make_group(Follow follow);
    // One entry a CPU that is online, brought up to now.
    Result<std::vector<CpuCounters>> read_cpus();
    // Brings steal_of() up to what the hypervisor has told so far, by one system call wherever the
    // caller runs. A CPU that is preempted right now is charged for that when it runs again. Fails
    // with unsupported above STEAL_CPUS_AT_ONCE CPUs.
    Result<void> note_cpus() const;
    // Since the vCPU began; nullopt for a CPU that was not online yet.
    std::optional<std::uint64_t> steal_of(int cpu) const;
    int cpu_count() const { return static_cast<int>(cpus_.size()); }
    // Where the counters come from: the coarsest of all CPUs.
    StealSource source() const { return source_; }

  private:
    friend class StealGroup;
    StealTracer() = default;

    Result<void> attach(const base::SysRoot& root);
    Result<void> map_tables();
    Result<void> add(std::uint32_t group, pid_t tid);
    void remove(std::uint32_t group);
    GroupTotals read(std::uint32_t group);
    std::vector<pid_t> followed_threads() const;
    bool look_at(int cpu) const;
    void look_at_members(std::uint32_t group) const;

    base::Mutex mutex_;  // over membership: rows are read, changed and written back
    std::vector<bool> used_;
    Program program_;
    int look_fd_ = -1;
    int note_fd_ = -1;
    int members_fd_ = -1;
    base::Mmap group_memory_;
    base::Mmap cpu_memory_;
    std::span<steal_group> groups_;
    std::span<const steal_cpu> cpus_;
    StealSource source_ = StealSource::unknown;
};

// Some threads, and what was stolen from them together since each was added.
class StealGroup {
  public:
    StealGroup(StealGroup&& other) noexcept;
    StealGroup& operator=(StealGroup&&) = delete;
    ~StealGroup();

    // Counts thread `tid` from now on (the caller: gettid()). Fails when the thread is gone, or is
    // in as many groups already as it can be.
    Result<void> add(pid_t tid);
    GroupTotals read() const;

  private:
    friend class StealTracer;
    StealGroup(std::shared_ptr<StealTracer> tracer, std::uint32_t id)
        : tracer_(std::move(tracer)), id_(id) {}

    std::shared_ptr<StealTracer> tracer_;
    std::uint32_t id_;
};

}  // namespace ringside::bpf
