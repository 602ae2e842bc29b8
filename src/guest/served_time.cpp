#include "guest/served_time.h"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "base/sys_root.h"
#include "proc/stat.h"
#include "proc/task.h"

namespace ringside::guest {

using std::chrono::nanoseconds;

ServedTime::ServedTime(pid_t process) : process_(process), last_(Clock::now()) {
    waited_for_cpu();
    stolen();
}

nanoseconds ServedTime::passed() {
    const auto now = Clock::now();
    const nanoseconds lost = waited_for_cpu() + stolen();
    passed_ += std::max(nanoseconds(0), nanoseconds(now - last_) - lost);
    last_ = now;
    return passed_;
}

nanoseconds ServedTime::waited_for_cpu() {
    nanoseconds longest{0};
    const base::SysRoot root;
    for (const pid_t tid : proc::list_threads(root, process_).value_or({})) {
        const auto stat = proc::read_schedstat(root, tid);
        const nanoseconds all(stat ? stat->waiting_ns : 0);
        nanoseconds& before = waited_[tid];
        longest = std::max(longest, all - before);
        before = all;
    }
    return longest;
}

// Of one CPU on average.
nanoseconds ServedTime::stolen() {
    const auto stat = proc::read_stat(base::SysRoot());
    const std::uint64_t ticks = stat ? stat->total.steal : 0;
    const auto cpus = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
    const nanoseconds all(ticks * proc::tick_ns() / cpus);
    const nanoseconds since = all - std::exchange(stolen_, all);
    return std::max(nanoseconds(0), since);
}

}  // namespace ringside::guest
