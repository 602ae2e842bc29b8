// What the clocks cost, beside the system calls that a program would make without them.
#include <array>
#include <cstdint>

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <ringside/clocks.h>

#include "base/fd.h"
#include "base/sys_root.h"
#include "bench/measure.h"
#include "events/parse.h"
#include "perf/event_fd.h"

namespace {

using ringside::bench::median_ns;
using ringside::bench::print_row;

volatile std::uint64_t sink;

std::uint64_t raw_clock(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(now.tv_nsec);
}

void simple_clocks() {
    const double vdso_ns = median_ns([] { sink = raw_clock(CLOCK_MONOTONIC); }, 10000);
    print_row("real_ns()", median_ns([] { sink = ringside::real_ns(); }, 10000),
              "clock_gettime(MONOTONIC)", vdso_ns);
    print_row("cycles()", median_ns([] { sink = ringside::cycles(); }, 10000),
              "clock_gettime(MONOTONIC)", vdso_ns);
    print_row("thread_cpu_ns()", median_ns([] { sink = ringside::thread_cpu_ns(); }, 2000),
              "clock_gettime(THREAD_CPUTIME)",
              median_ns([] { sink = raw_clock(CLOCK_THREAD_CPUTIME_ID); }, 2000));
}

// A thread's own steal beside what a program would need at the least: task-clock and CPU time.
void thread_steal(const ringside::Clocks& clocks) {
    const auto clock = clocks.thread();
    const auto task_clock = ringside::events::parse_event(ringside::base::SysRoot(), "task-clock");
    if (!clock || !task_clock) return;
    const auto event = ringside::perf::EventFd::open(*task_clock, {}, {.disabled = false});
    if (!event) return;
    print_row("thread clock: all times and steal",
              median_ns([&] { sink = clock->read().real_ns; }, 500), "read(task-clock) + CPU time",
              median_ns(
                  [&] {
                      sink = event->read().value()->value;
                      sink = raw_clock(CLOCK_THREAD_CPUTIME_ID);
                  },
                  500));
}

void machine_steal(const ringside::Clocks& clocks) {
    const auto steal = clocks.cpu_steal();
    const ringside::base::Fd proc_stat(::open("/proc/stat", O_RDONLY | O_CLOEXEC));
    if (!steal || !proc_stat) return;
    std::array<char, 65536> text;
    print_row("steal of every CPU",
              median_ns([&] { sink = steal->read().value().cpus.size(); }, 100),
              "pread(/proc/stat)",
              median_ns(
                  [&] {
                      sink = static_cast<std::uint64_t>(
                          ::pread(proc_stat.get(), text.data(), text.size(), 0));
                  },
                  100));
}

}  // namespace

int main() {
    const auto clocks = ringside::Clocks::open();
    ringside::bench::print_heading();
    simple_clocks();
    thread_steal(clocks);
    machine_steal(clocks);
    return 0;
}
