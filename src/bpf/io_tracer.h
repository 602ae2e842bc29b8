// Application I/O counted at the system calls by io.bpf.c: for programs that no library can be put
// into, and for processes that run already. Needs root (CAP_BPF and CAP_PERFMON) and a kernel with
// BTF. While a tracer lives, every system call of the machine costs a hash lookup.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <sys/types.h>

#include <ringside/result.h>

#include "base/mmap.h"
#include "base/sys_root.h"
#include "bpf/program.h"
#include "model/io.h"

namespace ringside::bpf {

class IoTracer {
  public:
    static Result<std::unique_ptr<IoTracer>> load(const base::SysRoot& root);
    IoTracer(const IoTracer&) = delete;
    IoTracer& operator=(const IoTracer&) = delete;

    // Counts thread `tid` from now on, or from its next exec.
    Result<void> follow(pid_t tid, Follow follow, bool from_exec = false);
    // All threads that process `pid` has now, and what they start.
    Result<void> follow_process(pid_t pid, Follow follow);

    // The sum over all that are followed. Cheap: for reading again and again.
    void add_to(io_counts& sum) const;
    model::IoRecord read() const;

  private:
    explicit IoTracer(base::SysRoot root) : root_(std::move(root)) {}
    Result<void> attach();
    Result<void> map_tables();
    std::uint32_t rows_used() const;

    base::SysRoot root_;
    Program program_;
    int members_fd_ = -1;
    base::Mmap row_memory_;
    base::Mmap file_memory_;
    base::Mmap word_memory_;
    struct Words;
    Words* words_ = nullptr;
};

}  // namespace ringside::bpf
