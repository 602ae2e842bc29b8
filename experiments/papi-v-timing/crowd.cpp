// The competition: 0, 1, ... 5 busy processes on CPU 0, some seconds each.
//   crowd SECONDS FILE
// FILE gets one CSV row a phase: competitors, begin, end (CLOCK_REALTIME, ns). Started without
// arguments, beside a guest in a box: 8 s each into /tmp/crowd.csv, from when the guest's command
// runs.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sys_root.h"
#include "base/text.h"

namespace {

using namespace ringside;

constexpr int most_competitors = 5;
constexpr double seconds_in_box = 8;

std::int64_t wall_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

// Killed with us, whatever happens.
pid_t start_competitor() {
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    ::sched_setaffinity(0, sizeof set, &set);
    while (true) {
    }
}

void wait_for_command() {
    if (std::FILE* ready = std::fopen("/run/ringside/ready", "w")) std::fclose(ready);
    const base::SysRoot root;
    while (!base::contains(root.read("/run/ringside/inner.status").value_or(""), "command")) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void run_phases(double seconds, std::FILE* out) {
    std::vector<pid_t> competitors;
    fmt::print(out, "competitors,begin,end\n");
    for (int count = 0; count <= most_competitors; ++count) {
        if (count > 0) competitors.push_back(start_competitor());
        const std::int64_t begin_ns = wall_ns();
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        fmt::print(out, "{},{},{}\n", count, begin_ns, wall_ns());
        std::fflush(out);
    }
    for (const pid_t pid : competitors) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const bool in_box = argc == 1;
    const double seconds = in_box ? seconds_in_box : std::strtod(argv[1], nullptr);
    if ((!in_box && argc != 3) || !(seconds > 0 && seconds < 600)) {
        std::fputs("usage: crowd SECONDS FILE\n", stderr);
        return 2;
    }
    std::FILE* out = std::fopen(in_box ? "/tmp/crowd.csv" : argv[2], "w");
    if (out == nullptr) {
        std::perror("crowd");
        return 1;
    }
    if (in_box) wait_for_command();
    run_phases(seconds, out);
    std::fclose(out);
    return 0;
}
