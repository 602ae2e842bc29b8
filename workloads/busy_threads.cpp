// A busy thread on each of the first N CPUs for some seconds, and what the clocks say of each:
//   busy_threads N SECONDS
// One CSV row a thread. Times are nanoseconds; begin and end are CLOCK_REALTIME, so that they can
// be laid beside what another machine saw.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sched.h>

#include <ringside/clocks.h>

namespace {

using namespace ringside;

struct Row {
    Times first;
    Times last;
    std::string error;
};

constexpr auto quiet = std::chrono::milliseconds(500);

void spin_on(std::size_t cpu, std::uint64_t duration_ns, const Clocks& clocks,
             std::atomic<std::size_t>& not_ready, Row& row) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    ::sched_setaffinity(0, sizeof set, &set);
    const auto clock = clocks.thread();
    --not_ready;
    if (!clock) {
        row.error = clock.error().what;
        return;
    }
    while (not_ready > 0) ::sched_yield();
    std::this_thread::sleep_for(quiet);
    row.first = clock->read();
    const std::uint64_t end_ns = real_ns() + duration_ns;
    while (real_ns() < end_ns) {
    }
    row.last = clock->read();
    std::this_thread::sleep_for(quiet);
}

std::string difference(const std::optional<std::uint64_t>& from,
                       const std::optional<std::uint64_t>& to) {
    return from && to ? std::to_string(*to - *from) : "";
}

void print(std::size_t cpu, const Row& row) {
    const auto& [first, last, error] = row;
    fmt::print("{},{},{},{},{},{},{},{},{}\n", cpu, last.real_ns - first.real_ns,
               difference(first.cpu_ns, last.cpu_ns),
               difference(first.occupied_ns, last.occupied_ns),
               difference(first.steal.ns, last.steal.ns), last.steal.error_ns,
               difference(first.compensated_ns, last.compensated_ns), to_string(last.steal.method),
               error.empty() ? last.steal.reason : error);
}

}  // namespace

int main(int argc, char** argv) {
    const auto count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;
    const double seconds = argc > 2 ? std::strtod(argv[2], nullptr) : 0;
    if (argc != 3 || count == 0 || count > CPU_SETSIZE || !(seconds > 0 && seconds < 3600)) {
        std::fputs("usage: busy_threads N SECONDS\n", stderr);
        return 2;
    }
    const auto clocks = Clocks::open();
    const auto accounting = clocks.steal_accounting();
    fmt::print(stderr, "CPU time {} steal: {}\n", to_string(accounting.answer),
               accounting.evidence);
    std::vector<Row> rows(count);
    std::vector<std::thread> threads;
    std::atomic<std::size_t> not_ready = count;
    for (std::size_t cpu = 0; cpu < count; ++cpu) {
        threads.emplace_back([&, cpu] {
            spin_on(cpu, static_cast<std::uint64_t>(seconds * 1e9), clocks, not_ready, rows[cpu]);
        });
    }
    for (auto& thread : threads) thread.join();
    std::puts("cpu,real,cpu_time,occupied,steal,steal_error,compensated,method,reason");
    for (std::size_t cpu = 0; cpu < count; ++cpu) print(cpu, rows[cpu]);
    return 0;
}
