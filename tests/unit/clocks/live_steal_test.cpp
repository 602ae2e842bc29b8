// This machine's real steal: what threads on every CPU lost, against what the CPUs lost. The bounds
// are what the clocks state themselves and the steps of /proc/stat; nothing depends on speed.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

#include <ringside/clocks.h>

#include "proc/stat.h"

namespace ringside::clocks {
namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;
constexpr std::uint64_t patience_ns = 4 * second_ns;
constexpr std::uint64_t enough_ticks = 3;

proc::Stat proc_stat_now() {
    return proc::read_stat(base::SysRoot()).value_or(proc::Stat{});
}

std::uint64_t steal_ticks(const proc::TickSums& sums) {
    std::uint64_t ticks = 0;
    for (const auto& [cpu, used] : sums.since_start()) ticks += used.steal;
    return ticks;
}

std::vector<int> allowed_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(0, sizeof set, &set);
    std::vector<int> cpus;
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set)) cpus.push_back(static_cast<int>(cpu));
    }
    return cpus;
}

struct Row {
    int cpu = 0;
    Times times;
    Times also;  // by a second method
};

// A busy thread on every CPU until `stop`; its clocks are read by itself.
struct Crowd {
    Crowd(const Clocks& first, const Clocks& second) {
        for (const int cpu : allowed_cpus()) rows.push_back({cpu, {}, {}});
        for (auto& row : rows) threads.emplace_back([&, this] { run(row, first, second); });
        while (ready < rows.size()) std::this_thread::yield();
    }
    void run(Row& row, const Clocks& first, const Clocks& second) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(static_cast<std::size_t>(row.cpu), &set);
        ::sched_setaffinity(0, sizeof set, &set);
        const auto one = first.thread();
        const auto two = second.thread();
        ++ready;
        while (!stop) {
        }
        row.times = one->read();
        row.also = two->read();
    }
    void end() {
        stop = true;
        for (auto& thread : threads) thread.join();
    }
    std::vector<Row> rows;
    std::vector<std::thread> threads;
    std::atomic<std::size_t> ready = 0;
    std::atomic<bool> stop = false;
};

void wait_for_steal(proc::TickSums& sums) {
    const std::uint64_t end = real_ns() + patience_ns;
    while (real_ns() < end && steal_ticks(sums) < enough_ticks) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        sums.add(proc_stat_now());
    }
}

TEST(LiveSteal, WhatThreadsLostIsWhatTheirCpusLost) {
    const auto clocks = Clocks::open();
    proc::TickSums sums;
    sums.add(proc_stat_now());
    Crowd crowd(clocks, clocks);
    wait_for_steal(sums);
    crowd.end();
    sums.add(proc_stat_now());
    const std::uint64_t by_cpus_ns = steal_ticks(sums) * proc::tick_ns();
    std::uint64_t by_threads_ns = 0;
    std::uint64_t error_ns = 0;
    std::uint64_t borne_by_others_ns = 0;
    for (const auto& row : crowd.rows) {
        const Steal& steal = row.times.steal;
        if (!steal.ns) GTEST_SKIP() << "no per-thread steal here: " << steal.reason;
        by_threads_ns += *steal.ns;
        error_ns += steal.error_ns + 2 * proc::tick_ns();
        // Others on the CPU, before and after included, may have borne all their time's worth.
        const std::uint64_t busy_ns = sums.since_start().at(row.cpu).busy() * proc::tick_ns();
        borne_by_others_ns +=
            busy_ns > *row.times.occupied_ns ? busy_ns - *row.times.occupied_ns : 0;
    }
    std::printf(
        "stolen of the threads %.3f ms, of the CPUs (/proc/stat) %.0f ms; bound %.3f ms, "
        "others ran %.0f ms; method %s\n",
        static_cast<double>(by_threads_ns) / 1e6, static_cast<double>(by_cpus_ns) / 1e6,
        static_cast<double>(error_ns) / 1e6, static_cast<double>(borne_by_others_ns) / 1e6,
        std::string(to_string(crowd.rows[0].times.steal.method)).c_str());
    EXPECT_LE(by_threads_ns, by_cpus_ns + error_ns);
    EXPECT_LE(by_cpus_ns, by_threads_ns + error_ns + borne_by_others_ns);
    if (steal_ticks(sums) < enough_ticks) {
        GTEST_SKIP() << "only " << steal_ticks(sums)
                     << " ticks of steal in 4 s: too few to compare";
    }
}

TEST(LiveSteal, TheDifferenceOfClocksAndTheTracerAgree) {
    ClockOptions by_difference;
    by_difference.only = StealMethod::cpu_time_excludes_steal;
    ClockOptions by_tracer;
    by_tracer.only = StealMethod::bpf_sched_switch;
    const auto first = Clocks::open(by_difference);
    const auto second = Clocks::open(by_tracer);
    if (first.steal_accounting().answer != StealAccounting::Answer::excludes) {
        GTEST_SKIP() << "CPU time is not known to exclude steal: "
                     << first.steal_accounting().evidence;
    }
    proc::TickSums sums;
    sums.add(proc_stat_now());
    Crowd crowd(first, second);
    wait_for_steal(sums);
    crowd.end();
    for (const auto& row : crowd.rows) {
        const Steal& difference = row.times.steal;
        const Steal& traced = row.also.steal;
        if (!traced.ns) GTEST_SKIP() << traced.reason;
        ASSERT_TRUE(difference.ns) << difference.reason;
        std::printf("CPU %d: task-clock minus CPU time %.3f +- %.3f ms, traced %.3f +- %.3f ms\n",
                    row.cpu, static_cast<double>(*difference.ns) / 1e6,
                    static_cast<double>(difference.error_ns) / 1e6,
                    static_cast<double>(*traced.ns) / 1e6,
                    static_cast<double>(traced.error_ns) / 1e6);
        const std::uint64_t bound = difference.error_ns + traced.error_ns;
        EXPECT_LE(*difference.ns, *traced.ns + bound);
        EXPECT_LE(*traced.ns, *difference.ns + bound);
    }
}

TEST(LiveSteal, CountersAndProcStatAgreeForEveryCpu) {
    ClockOptions coarse;
    coarse.only = StealMethod::proc_stat;
    const auto fine_clock = Clocks::open().cpu_steal();
    const auto coarse_clock = Clocks::open(coarse).cpu_steal();
    ASSERT_TRUE(fine_clock) << fine_clock.error().what;
    ASSERT_TRUE(coarse_clock) << coarse_clock.error().what;
    proc::TickSums sums;
    sums.add(proc_stat_now());
    wait_for_steal(sums);
    const auto by_stat = coarse_clock->read();
    const auto by_counter = fine_clock->read();
    ASSERT_TRUE(by_stat && by_counter);
    if (by_counter->total.method != StealMethod::cpu_counter) {
        GTEST_SKIP() << "the hypervisor's counters cannot be read here";
    }
    ASSERT_EQ(by_stat->cpus.size(), by_counter->cpus.size());
    for (std::size_t i = 0; i < by_stat->cpus.size(); ++i) {
        const Steal& stat = by_stat->cpus[i].steal;
        const Steal& counter = by_counter->cpus[i].steal;
        EXPECT_LE(*stat.ns, *counter.ns + stat.error_ns + counter.error_ns);
    }
}

}  // namespace
}  // namespace ringside::clocks
