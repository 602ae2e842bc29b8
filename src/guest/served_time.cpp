#include "guest/served_time.h"

#include <algorithm>

#include <unistd.h>

#include "base/sys_root.h"
#include "base/text.h"

namespace ringside::guest {

namespace {

using std::chrono::nanoseconds;

// A thread's schedstat: time on a CPU, time waited for one, turns.
nanoseconds run_delay(const base::SysRoot& root, const std::string& task) {
    const auto text = root.read(task + "/schedstat").value_or("");
    const auto words = base::split_words(text);
    const auto waited = words.size() > 2 ? base::parse_u64(words[1]) : std::nullopt;
    return nanoseconds(waited.value_or(0));
}

}  // namespace

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
    const std::string tasks = "/proc/" + std::to_string(process_) + "/task/";
    const base::SysRoot root;
    for (const auto& task : root.list(tasks).value_or({})) {
        const nanoseconds all = run_delay(root, tasks + task);
        nanoseconds& before = waited_[task];
        longest = std::max(longest, all - before);
        before = all;
    }
    return longest;
}

// Of one CPU on average: the eighth number of the first line of /proc/stat, in clock ticks.
nanoseconds ServedTime::stolen() {
    const auto text = base::SysRoot().read("/proc/stat").value_or("");
    const auto words = base::split_words(std::string_view(text).substr(0, text.find('\n')));
    const auto ticks = words.size() > 8 ? base::parse_u64(words[8]) : std::nullopt;
    const long cpus = std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN));
    const nanoseconds all(ticks.value_or(0) * 1'000'000'000ULL /
                          static_cast<unsigned long>(::sysconf(_SC_CLK_TCK) * cpus));
    const nanoseconds since = all - std::exchange(stolen_, all);
    return std::max(nanoseconds(0), since);
}

}  // namespace ringside::guest
