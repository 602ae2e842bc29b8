// What the clocks cost, beside the system calls that a program would make without them. Run it on
// one CPU: taskset -c 1 build/release/bench/clocks_bench
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <ringside/clocks.h>

#include "base/fd.h"
#include "base/sys_root.h"
#include "bench/measure.h"
#include "bench/ping_pong.h"
#include "bpf/steal_tracer.h"
#include "events/parse.h"
#include "perf/event_fd.h"

namespace {

using namespace ringside;
using bench::median_ns;
using bench::PingPong;
using bench::print_heading;
using bench::print_row;

volatile std::uint64_t sink;

std::uint64_t raw_clock(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(now.tv_nsec);
}

void simple_clocks() {
    const double vdso_ns = median_ns([] { sink = raw_clock(CLOCK_MONOTONIC); }, 10000);
    print_row("real_ns()", median_ns([] { sink = real_ns(); }, 10000), "clock_gettime(MONOTONIC)",
              vdso_ns);
    print_row("cycles()", median_ns([] { sink = cycles(); }, 10000), "clock_gettime(MONOTONIC)",
              vdso_ns);
    print_row("thread_cpu_ns()", median_ns([] { sink = thread_cpu_ns(); }, 2000),
              "clock_gettime(THREAD_CPUTIME)",
              median_ns([] { sink = raw_clock(CLOCK_THREAD_CPUTIME_ID); }, 2000));
}

struct Peer {
    const char* name;
    double ns;
};

// The system calls behind a reading of the thread's own steal, and nothing else: who bounds the
// error of two clocks that are read one after the other reads them twice.
class RawCalls {
  public:
    static Peer of(StealMethod method) {
        if (method == StealMethod::bpf_sched_switch) return {"BPF program + CPU time", by_bpf()};
        if (method == StealMethod::cpu_share) {
            return {"2 x (task-clock + CPU time + /proc/stat)", 2 * (by_clocks() + by_stat())};
        }
        return {"2 x (task-clock + CPU time)", 2 * by_clocks()};
    }

  private:
    static double by_clocks() {
        const auto task_clock = events::parse_event(base::SysRoot(), "task-clock");
        const auto event = perf::EventFd::open(task_clock.value(), {}, {.disabled = false});
        if (!event) return 0;
        return median_ns(
            [&] {
                sink = event->read().value()->value;
                sink = raw_clock(CLOCK_THREAD_CPUTIME_ID);
            },
            500);
    }
    static double by_stat() {
        const base::Fd file(::open("/proc/stat", O_RDONLY | O_CLOEXEC));
        std::array<char, 65536> text;
        return median_ns(
            [&] {
                sink = static_cast<std::uint64_t>(::pread(file.get(), text.data(), text.size(), 0));
            },
            100);
    }
    static double by_bpf() {
        const auto tracer = bpf::StealTracer::load(base::SysRoot());
        if (!tracer) return 0;
        auto group = (*tracer)->make_group(bpf::Follow::none);
        if (!group || !group->add(::gettid())) return 0;
        return median_ns(
            [&] {
                sink = group->read().steal_ns;
                sink = raw_clock(CLOCK_THREAD_CPUTIME_ID);
            },
            500);
    }
};

// A thread's own steal by each method, and what having that clock open does to thread switches.
void thread_steal(StealMethod method, double quiet_trip_ns, const PingPong& pipes) {
    const Peer peer = RawCalls::of(method);
    ClockOptions options;
    options.only = method;
    const auto clocks = Clocks::open(options);
    const auto clock = clocks.thread();
    const std::string name(to_string(method));
    if (!clock || clock->read().steal.method != method) {
        std::printf("| %s | not here | | | |\n", name.c_str());
        return;
    }
    print_row((name + ": read").c_str(), median_ns([&] { sink = clock->read().real_ns; }, 200),
              peer.name, peer.ns);
    print_row((name + ": round trip of two threads").c_str(),
              median_ns([&] { pipes.round_trip(); }, 500), "without a clock", quiet_trip_ns);
}

void machine_steal(const Clocks& clocks) {
    const auto steal = clocks.cpu_steal();
    const base::Fd proc_stat(::open("/proc/stat", O_RDONLY | O_CLOEXEC));
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
    print_heading();
    simple_clocks();
    {
        const PingPong pipes;
        const double quiet_trip_ns = median_ns([&] { pipes.round_trip(); }, 500);
        for (const auto method : {StealMethod::cpu_time_excludes_steal,
                                  StealMethod::bpf_sched_switch, StealMethod::cpu_share}) {
            thread_steal(method, quiet_trip_ns, pipes);
        }
    }
    machine_steal(Clocks::open());
    return 0;
}
