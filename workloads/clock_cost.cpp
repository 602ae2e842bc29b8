// What the clocks cost on this machine: nanoseconds, medians. Run it on one CPU (taskset -c 1).
#include <algorithm>
#include <array>
#include <cstdio>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include <ringside/clocks.h>

namespace {

using namespace ringside;

template <typename Function>
double cost_ns(int times, Function function) {
    std::vector<double> rounds;
    for (int round = 0; round < 21; ++round) {
        const std::uint64_t begin = real_ns();
        for (int i = 0; i < times; ++i) function();
        rounds.push_back(static_cast<double>(real_ns() - begin) / times);
    }
    std::nth_element(rounds.begin(), rounds.begin() + 10, rounds.end());
    return rounds[10];
}

// Two threads that wake each other through pipes, there and back.
class PingPong {
  public:
    PingPong() {
        if (::pipe(there_.data()) != 0 || ::pipe(back_.data()) != 0) return;
        other_ = std::thread([this] {
            while (pass(there_[0], back_[1])) {
            }
        });
    }
    PingPong(const PingPong&) = delete;
    PingPong& operator=(const PingPong&) = delete;
    ~PingPong() {
        ::close(there_[1]);
        other_.join();
        for (const int fd : {there_[0], back_[0], back_[1]}) ::close(fd);
    }
    void round_trip() {
        const char byte = 0;
        if (::write(there_[1], &byte, 1) == 1) receive(back_[0]);
    }

  private:
    static bool receive(int from) {
        char byte = 0;
        return ::read(from, &byte, 1) == 1;
    }
    static bool pass(int from, int to) {
        const char byte = 0;
        return receive(from) && ::write(to, &byte, 1) == 1;
    }
    std::array<int, 2> there_{-1, -1};
    std::array<int, 2> back_{-1, -1};
    std::thread other_;
};

}  // namespace

int main() {
    PingPong pipes;
    fmt::print("real_ns {:.0f}\n", cost_ns(1000, [] { real_ns(); }));
    fmt::print("cycles {:.0f}\n", cost_ns(1000, [] { cycles(); }));
    fmt::print("thread_cpu_ns {:.0f}\n", cost_ns(1000, [] { thread_cpu_ns(); }));
    fmt::print("round trip {:.0f}\n", cost_ns(500, [&] { pipes.round_trip(); }));
    for (const auto method : {StealMethod::cpu_time_excludes_steal, StealMethod::bpf_sched_switch,
                              StealMethod::cpu_share}) {
        ClockOptions options;
        options.only = method;
        const std::uint64_t begin = real_ns();
        const auto clocks = Clocks::open(options);
        const auto clock = clocks.thread();
        const double open_ms = static_cast<double>(real_ns() - begin) / 1e6;
        if (!clock || clock->read().steal.method != method) {
            fmt::print("{}: not here\n", to_string(method));
            continue;
        }
        fmt::print("{}: open {:.1f} ms, read {:.0f}, round trip {:.0f}\n", to_string(method),
                   open_ms, cost_ns(200, [&] { clock->read(); }),
                   cost_ns(500, [&] { pipes.round_trip(); }));
    }
    return 0;
}
