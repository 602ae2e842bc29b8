// On a host: what its scheduler did with the threads of every QEMU, as it happens, until SIGTERM.
// Writes /tmp/vcpu_schedule.csv: CLOCK_REALTIME, thread, nanoseconds run, nanoseconds it waited for
// a CPU (proc(5), /proc/PID/schedstat). This is the truth that steal seen in a guest is held to.
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "base/sys_root.h"
#include "base/text.h"

namespace {

using namespace ringside;

volatile sig_atomic_t stopped = 0;

std::vector<std::string> qemu_threads(const base::SysRoot& root) {
    std::vector<std::string> paths;
    for (const auto& pid : root.list("/proc").value_or({})) {
        if (!base::parse_u64(pid)) continue;
        const auto name = root.read_trimmed("/proc/" + pid + "/comm").value_or("");
        if (!name.starts_with("qemu-system")) continue;
        for (const auto& tid : root.list("/proc/" + pid + "/task").value_or({})) {
            paths.push_back("/proc/" + pid + "/task/" + tid);
        }
    }
    return paths;
}

void sample(const base::SysRoot& root, std::FILE* out) {
    for (const auto& path : qemu_threads(root)) {
        const auto text = root.read(path + "/schedstat").value_or("");
        const auto words = base::split_words(text);
        if (words.size() < 2) continue;
        timespec now{};
        ::clock_gettime(CLOCK_REALTIME, &now);
        fmt::print(out, "{}{:09},{},{},{}\n", now.tv_sec, now.tv_nsec,
                   path.substr(path.rfind('/') + 1), words[0], words[1]);
    }
    std::fflush(out);
}

}  // namespace

int main() {
    ::signal(SIGTERM, [](int) { stopped = 1; });
    // Off the CPU that is being fought for, and not held up by who fights.
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(1, &set);
    ::sched_setaffinity(0, sizeof set, &set);
    std::FILE* out = std::fopen("/tmp/vcpu_schedule.csv", "w");
    std::FILE* ready = std::fopen("/run/ringside/ready", "w");
    if (out == nullptr) return 1;
    if (ready != nullptr) std::fclose(ready);
    std::fputs("time,thread,run,wait\n", out);
    const base::SysRoot root;
    while (stopped == 0) {
        sample(root, out);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    std::fclose(out);
    return 0;
}
