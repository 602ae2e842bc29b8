// The clocks on the machine the tests run on, whatever that is; relations that hold everywhere.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ringside/clocks.h>

#include "base/process.h"

namespace ringside {
namespace {

void spin_for_ns(std::uint64_t duration_ns) {
    const std::uint64_t end = real_ns() + duration_ns;
    while (real_ns() < end) {
    }
}
constexpr std::uint64_t ms = 1'000'000;

void pin_to(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(cpu), &set);
    ASSERT_EQ(::sched_setaffinity(0, sizeof set, &set), 0);
}

std::vector<int> allowed_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(0, sizeof set, &set);
    std::vector<int> cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
    }
    return cpus;
}

// Each way in turn; `usable` is false where this machine does not allow it.
class EveryMethod : public testing::TestWithParam<StealMethod> {
  protected:
    void SetUp() override {
        ClockOptions options;
        options.only = GetParam();
        clocks_.emplace(Clocks::open(options));
        const auto probe = clocks_->thread();
        ASSERT_TRUE(probe) << probe.error().what;
        const Times first = probe->read();
        if (first.steal.method == StealMethod::none) GTEST_SKIP() << first.steal.reason;
    }
    Clock thread_clock(int tid = 0) { return std::move(*clocks_->thread(tid)); }
    std::optional<Clocks> clocks_;
};

void expect_consistent(const Times& times) {
    ASSERT_TRUE(times.occupied_ns && times.steal.ns && times.compensated_ns);
    EXPECT_LE(*times.steal.ns, *times.occupied_ns);
    EXPECT_LE(*times.compensated_ns, *times.occupied_ns);
}

TEST_P(EveryMethod, AThreadsTimesFitInRealTime) {
    const auto clock = thread_clock();
    spin_for_ns(60 * ms);
    const Times times = clock.read();
    expect_consistent(times);
    EXPECT_GT(*times.occupied_ns, 0u);
    EXPECT_LE(*times.occupied_ns, times.real_ns + 100'000);  // opened a moment before real began
    ASSERT_TRUE(times.cpu_ns);
    EXPECT_GT(*times.cpu_ns, 0u);
}

TEST_P(EveryMethod, NeverDecreasesOverManyReads) {
    const auto clock = thread_clock();
    Times last = clock.read();
    for (int i = 0; i < 2000; ++i) {
        if (i % 100 == 0) ::sched_yield();
        const Times now = clock.read();
        ASSERT_GE(now.real_ns, last.real_ns);
        ASSERT_GE(*now.cpu_ns, *last.cpu_ns);
        ASSERT_GE(*now.occupied_ns, *last.occupied_ns);
        ASSERT_GE(*now.steal.ns, *last.steal.ns);
        ASSERT_GE(*now.compensated_ns, *last.compensated_ns);
        last = now;
    }
}

TEST_P(EveryMethod, SleepIsNeitherOccupiedNorStolen) {
    const std::uint64_t before = real_ns();
    const auto clock = thread_clock();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const Times times = clock.read();
    const std::uint64_t awake_ns = real_ns() - before - 100 * ms;
    EXPECT_LE(*times.occupied_ns, awake_ns + 100'000);
    EXPECT_LE(*times.steal.ns, awake_ns + 100'000);
}

// Context switches of the calling thread.
std::uint64_t own_switches() {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    return static_cast<std::uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw);
}

TEST_P(EveryMethod, FollowsAThreadThatMovesBetweenCpus) {
    const auto cpus = allowed_cpus();
    if (cpus.size() < 2) GTEST_SKIP() << "one CPU only";
    std::thread([&] {
        const auto clock = thread_clock();
        const std::uint64_t before = thread_cpu_ns();
        const std::uint64_t switches_before = own_switches();
        for (int i = 0; i < 20; ++i) {
            pin_to(cpus[static_cast<std::size_t>(i) % cpus.size()]);
            spin_for_ns(5 * ms);
        }
        const std::uint64_t cpu_ns = thread_cpu_ns() - before;
        const Times times = clock.read();
        expect_consistent(times);
        // All CPU time was spent while holding a CPU; task-clock misses some microseconds at each
        // switch, of which a busy machine adds to those of the moves.
        const std::uint64_t switches = own_switches() - switches_before;
        EXPECT_GE(*times.occupied_ns + (20 + switches) * 20'000, cpu_ns);
    }).join();
}

TEST_P(EveryMethod, AProcessKeepsWhatEndedThreadsUsed) {
    auto clock = clocks_->process();
    ASSERT_TRUE(clock) << clock.error().what;
    std::uint64_t worker_ns = 0;
    std::thread([&] {
        spin_for_ns(50 * ms);
        worker_ns = thread_cpu_ns();
    }).join();
    const Times after = clock->read();
    expect_consistent(after);
    EXPECT_GE(*after.occupied_ns + 100'000, worker_ns);
    EXPECT_GE(*clock->read().occupied_ns, *after.occupied_ns);
}

TEST_P(EveryMethod, AThreadsClockStopsWithTheThread) {
    std::atomic<int> tid = 0;
    std::atomic<bool> go = false;
    std::thread worker([&] {
        tid = ::gettid();
        while (!go) std::this_thread::yield();
        spin_for_ns(20 * ms);
    });
    while (tid == 0) std::this_thread::yield();
    const auto clock = thread_clock(tid);
    go = true;
    worker.join();
    // join() returns while the thread still leaves the kernel; its last switch comes after that.
    while (::syscall(SYS_tgkill, ::getpid(), tid.load(), 0) == 0) std::this_thread::yield();
    spin_for_ns(20 * ms);
    const Times ended = clock.read();
    spin_for_ns(20 * ms);
    const Times later = clock.read();
    EXPECT_EQ(later.occupied_ns, ended.occupied_ns);
    EXPECT_EQ(later.steal.ns, ended.steal.ns);
    EXPECT_EQ(later.cpu_ns, ended.cpu_ns);
}

TEST_P(EveryMethod, ChildrenCountOnlyWhenFollowed) {
    if (GetParam() == StealMethod::cpu_time_excludes_steal) {
        GTEST_SKIP() << "the kernel has no CPU clock of a process with its children";
    }
    auto tree = clocks_->process(0, Follow::children);
    auto alone = clocks_->process(0, Follow::threads);
    ASSERT_TRUE(alone && tree);
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        spin_for_ns(50 * ms);
        // perf stops counting before the kernel takes the memory down, so not the time at its end
        const std::uint64_t used_ns = process_cpu_ns();
        const auto written = ::write(pipe[1], &used_ns, sizeof used_ns);
        ::_exit(written == sizeof used_ns ? 0 : 1);
    }
    std::uint64_t child_ns = 0;
    ASSERT_EQ(::read(pipe[0], &child_ns, sizeof child_ns), static_cast<ssize_t>(sizeof child_ns));
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    for (const int fd : pipe) ::close(fd);
    const std::uint64_t alone_ns = *alone->read().occupied_ns;
    const std::uint64_t tree_ns = *tree->read().occupied_ns;
    EXPECT_GE(tree_ns + ms, alone_ns + child_ns);  // task-clock misses a little at switches
}

TEST_P(EveryMethod, FollowsAHeldCommandFromItsStart) {
    if (GetParam() == StealMethod::cpu_time_excludes_steal) {
        GTEST_SKIP() << "the kernel has no CPU clock of a process with its children";
    }
    base::SpawnOptions held;
    held.held = true;
    auto child =
        base::spawn({"sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"}, held);
    ASSERT_TRUE(child) << child.error().what;
    auto clock = clocks_->process(child->pid(), Follow::children);
    ASSERT_TRUE(clock) << clock.error().what;
    ASSERT_TRUE(child->release());
    ASSERT_EQ(child->wait()->shell_code(), 0);
    const Times times = clock->read();
    expect_consistent(times);
    EXPECT_GT(*times.occupied_ns, 0u);
    EXPECT_EQ(clock->read().occupied_ns, times.occupied_ns);
}

TEST_P(EveryMethod, TwoClocksAreIndependent) {
    const auto first = thread_clock();
    spin_for_ns(30 * ms);
    const auto second = thread_clock();
    spin_for_ns(10 * ms);
    const Times of_second = second.read();
    const Times of_first = first.read();
    EXPECT_GT(*of_first.occupied_ns, *of_second.occupied_ns);
}

TEST_P(EveryMethod, MayBeReadFromSeveralThreads) {
    const auto clock = clocks_->process();
    ASSERT_TRUE(clock);
    std::vector<std::thread> readers;
    for (int i = 0; i < 4; ++i) {
        readers.emplace_back([&] {
            std::uint64_t last = 0;
            for (int round = 0; round < 200; ++round) {
                const Times times = clock->read();
                ASSERT_GE(*times.occupied_ns, last);
                last = *times.occupied_ns;
                const auto own = clocks_->thread();
                ASSERT_TRUE(own);
                if (round % 20 == 0) own->read();
            }
        });
    }
    for (auto& reader : readers) reader.join();
}

INSTANTIATE_TEST_SUITE_P(Clocks, EveryMethod,
                         testing::Values(StealMethod::cpu_time_excludes_steal,
                                         StealMethod::bpf_sched_switch, StealMethod::cpu_share),
                         [](const auto& way) { return std::string(to_string(way.param)); });

TEST(Clocks, SaysWhyThereIsNoSteal) {
    ClockOptions options;
    options.only = StealMethod::bpf_sched_switch;
    options.allow_bpf = false;
    const auto clocks = Clocks::open(options);
    const auto clock = clocks.thread();
    ASSERT_TRUE(clock);
    const Times times = clock->read();
    EXPECT_EQ(times.steal.method, StealMethod::none);
    EXPECT_FALSE(times.steal.ns);
    EXPECT_FALSE(times.compensated_ns);
    EXPECT_NE(times.steal.reason.find("BPF was ruled out"), std::string::npos);
    EXPECT_TRUE(times.cpu_ns);
}

TEST(Clocks, RefusesWhoDoesNotExist) {
    const auto clocks = Clocks::open();
    EXPECT_EQ(clocks.thread(0x3fffffff).error().code, ErrorCode::not_found);
    EXPECT_EQ(clocks.process(0x3fffffff).error().code, ErrorCode::not_found);
}

TEST(Clocks, CyclesCountAtTheirRate) {
    const CycleRate rate = cycle_rate();
    ASSERT_GT(rate.hz, 0);
    // We may lose the CPU between any two of these, so each end is bracketed.
    const std::uint64_t earliest_ns = real_ns();
    const std::uint64_t first = cycles();
    const std::uint64_t inner_begin_ns = real_ns();
    spin_for_ns(50 * ms);
    const std::uint64_t inner_end_ns = real_ns();
    const std::uint64_t last = cycles();
    const std::uint64_t latest_ns = real_ns();
    const double counted_ns = static_cast<double>(last - first) * 1e9 / rate.hz;
    EXPECT_GE(counted_ns, 0.99 * static_cast<double>(inner_end_ns - inner_begin_ns)) << rate.source;
    EXPECT_LE(counted_ns, 1.01 * static_cast<double>(latest_ns - earliest_ns)) << rate.source;
}

}  // namespace
}  // namespace ringside
