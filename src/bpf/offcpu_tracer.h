// Where threads were when they did not execute, and for how long: the user-space half of
// offcpu.bpf.c.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <sys/types.h>

#include <ringside/result.h>

#include "base/sys_root.h"
#include "bpf/program.h"

namespace ringside::bpf {

enum class OffCpuKind { sleeping, io, blocked, waiting, stolen };
constexpr std::size_t off_cpu_kinds = 5;

// All times that a thread waited in one place for one reason.
struct OffCpuSum {
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    OffCpuKind kind = OffCpuKind::sleeping;
    std::vector<std::uint64_t> user_stack;  // innermost first
    std::vector<std::uint64_t> kernel_stack;
    std::uint64_t total_ns = 0;
    std::uint64_t times = 0;
};

struct OffCpuProfile {
    std::vector<OffCpuSum> sums;
    std::uint64_t lost = 0;  // waits for which there was no room
};

class OffCpuTracer {
  public:
    // Follows every thread of the machine, or those that are added, with all they start.
    static Result<std::unique_ptr<OffCpuTracer>> load(const base::SysRoot& root, bool all_threads);

    Result<void> add(pid_t tid);
    // Up to now; waits that go on are counted as long as they last already.
    OffCpuProfile read() const;

  private:
    OffCpuTracer() = default;
    Result<void> attach(const base::SysRoot& root, bool all_threads);

    Program program_;
};

}  // namespace ringside::bpf
