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
#include "model/io.h"

struct bpf_object;
struct bpf_link;

namespace ringside::bpf {

enum class IoFollow { none, threads, children };

class IoTracer {
  public:
    static Result<std::unique_ptr<IoTracer>> load(const base::SysRoot& root);
    ~IoTracer();
    IoTracer(const IoTracer&) = delete;
    IoTracer& operator=(const IoTracer&) = delete;

    // Counts thread `tid` from now on, or from its next exec.
    Result<void> follow(pid_t tid, IoFollow follow, bool from_exec = false);
    // All threads that process `pid` has now, and what they start.
    Result<void> follow_process(pid_t pid, IoFollow follow);

    // The sum over all that are followed. Cheap: for reading again and again.
    void add_to(io_counts& sum) const;
    model::IoRecord read() const;

  private:
    explicit IoTracer(base::SysRoot root) : root_(std::move(root)) {}
    Result<void> attach();
    Result<void> map_tables();
    std::uint32_t rows_used() const;

    base::SysRoot root_;
    bpf_object* object_ = nullptr;
    std::vector<bpf_link*> links_;
    int members_fd_ = -1;
    base::Mmap row_memory_;
    base::Mmap file_memory_;
    base::Mmap word_memory_;
    struct Words;
    Words* words_ = nullptr;
};

}  // namespace ringside::bpf
