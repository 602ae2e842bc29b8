// What reading a thread's time budget costs, beside the system calls that a program would make to
// know as much of itself, and what an open budget does to context switches. Run it on one CPU:
// taskset -c 1 build/release/bench/time_budget_bench
#include <array>
#include <cstdint>
#include <cstdio>

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <ringside/time_budget.h>

#include "base/fd.h"
#include "bench/measure.h"
#include "bench/ping_pong.h"

namespace {

using namespace ringside;
using bench::median_ns;
using bench::print_row;

volatile std::uint64_t sink;

void read_file(const base::Fd& file) {
    std::array<char, 4096> text;
    sink = static_cast<std::uint64_t>(::pread(file.get(), text.data(), text.size(), 0));
}

// Wall time, user and kernel time, and the wait for a CPU: four parts of eight.
double least_read_ns() {
    const base::Fd schedstat(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
    return median_ns(
        [&] {
            timespec now{};
            ::clock_gettime(CLOCK_MONOTONIC, &now);
            rusage usage{};
            ::getrusage(RUSAGE_THREAD, &usage);
            read_file(schedstat);
        },
        500);
}

void thread_budget(BudgetMethod method, double peer_ns, double quiet_trip_ns,
                   const bench::PingPong& pipes) {
    BudgetOptions options;
    options.only = method;
    const auto budgets = TimeBudgets::open(options);
    const auto budget = budgets.thread();
    const std::string name(to_string(method));
    if (!budget) {
        std::printf("| %s | not here | | | |\n", name.c_str());
        return;
    }
    print_row((name + ": read").c_str(), median_ns([&] { sink = budget->read().lifetime_ns; }, 20),
              "clock + getrusage + pread(schedstat)", peer_ns);
    print_row((name + ": round trip of two threads").c_str(),
              median_ns([&] { pipes.round_trip(); }, 50), "without a budget", quiet_trip_ns);
}

}  // namespace

int main() {
    bench::print_heading();
    const bench::PingPong pipes;
    const double peer_ns = least_read_ns();
    const double quiet_trip_ns = median_ns([&] { pipes.round_trip(); }, 50);
    for (const auto method : {BudgetMethod::bpf_sched_states, BudgetMethod::kernel_sums}) {
        thread_budget(method, peer_ns, quiet_trip_ns, pipes);
    }
    return 0;
}
