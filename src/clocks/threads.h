// Who is measured: a thread, or a process with its threads; and the CPU time the kernel charges it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <sys/types.h>

#include <ringside/clocks.h>
#include <ringside/result.h>

#include "base/sys_root.h"
#include "bpf/program.h"

namespace ringside::clocks {

struct Subject {
    enum class Extent { thread, process, process_and_children };
    Extent extent = Extent::thread;
    pid_t id = 0;      // of the thread, or of the process
    bool own = false;  // belongs to our process

    bool operator==(const Subject&) const = default;
};

// 0 stands for the caller. Fails when there is no such thread or process.
Result<Subject> find_thread(const base::SysRoot& root, pid_t tid);
Result<Subject> find_process(const base::SysRoot& root, pid_t pid, Follow follow);

// The threads of the subject right now.
Result<std::vector<pid_t>> list_threads(const base::SysRoot& root, const Subject& subject);

struct CpuTime {
    std::uint64_t ns = 0;
    std::uint64_t lag_ns = 0;  // how far it may be behind
};

// Since the thread or process began, its ended threads included, its children not. nullopt when it
// is gone.
std::optional<CpuTime> read_cpu_time(const base::SysRoot& root, const Subject& subject);

// Whom a tracer must follow for the subject's sake.
bpf::Follow follow_of(const Subject& subject);
// Calls `add` for every thread of the subject, until no new ones turn up; a thread that is made
// meanwhile is followed by its maker, or is in the next listing. `add` may fail for threads that
// are gone; only its `busy` ends this.
Result<void> add_threads(const base::SysRoot& root, const Subject& subject,
                         const std::function<Result<void>(pid_t)>& add);

// How often its living threads came onto a CPU so far; 0 where the kernel does not tell.
std::uint64_t read_switches(const base::SysRoot& root, const Subject& subject);

}  // namespace ringside::clocks
