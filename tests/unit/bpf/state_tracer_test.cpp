// The BPF program against the running kernel; skipped where it may not be loaded. Identities and
// orderings only: nothing depends on speed.
#include "bpf/state_tracer.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../thread_sanitizer.h"
#include "clock_ns.h"

namespace ringside::bpf {
namespace {

constexpr std::uint64_t ms = 1'000'000;

void spin_for(std::uint64_t duration_ns) {
    const std::uint64_t end = clock_ns(CLOCK_MONOTONIC) + duration_ns;
    while (clock_ns(CLOCK_MONOTONIC) < end) {
    }
}

class StateTracerTest : public testing::TestWithParam<bool> {
  protected:
    void SetUp() override {
        auto loaded = StateTracer::load(base::SysRoot(), GetParam());
        if (!loaded) GTEST_SKIP() << loaded.error().what;
        tracer_ = *loaded;
    }
    StateGroup group(Follow follow) {
        auto made = tracer_->make_group(follow);
        EXPECT_TRUE(made) << made.error().what;
        return std::move(*made);
    }
    std::shared_ptr<StateTracer> tracer_;
};

// The sums lie between the time that surely passed and the time that can have passed.
TEST_P(StateTracerTest, StatesAddUpToTheLifeOfAThread) {
    auto own = group(Follow::none);
    const auto earliest = clock_ns(CLOCK_MONOTONIC);
    ASSERT_TRUE(own.add(::gettid()));
    const auto begun = clock_ns(CLOCK_MONOTONIC);
    spin_for(20 * ms);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    spin_for(20 * ms);
    const auto end = clock_ns(CLOCK_MONOTONIC);
    const StateTotals totals = own.read();
    const auto latest = clock_ns(CLOCK_MONOTONIC);
    EXPECT_GE(totals.lifetime_ns(), end - begun);
    EXPECT_LE(totals.lifetime_ns(), latest - earliest);
    EXPECT_GE(totals.sleeping_ns + totals.unseen_ns, 20 * ms);
    EXPECT_EQ(totals.threads, 1u);
}

TEST_P(StateTracerTest, ASleeperSleeps) {
    auto own = group(Follow::none);
    std::atomic<pid_t> tid = 0;
    std::atomic<bool> stop = false;
    std::thread sleeper([&] {
        tid = ::gettid();
        while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(400));
    });
    while (tid == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_TRUE(own.add(tid));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const StateTotals totals = own.read();  // in the midst of its sleep
    stop = true;
    sleeper.join();
    EXPECT_GE(totals.lifetime_ns(), 50 * ms);
    EXPECT_GT(totals.sleeping_ns + totals.unseen_ns, totals.lifetime_ns() / 2);
}

// Found asleep, it has a past that is not the group's.
TEST_P(StateTracerTest, WhatAThreadUsedBeforeIsNotCounted) {
    auto own = group(Follow::none);
    std::atomic<pid_t> tid = 0;
    std::atomic<bool> stop = false;
    std::thread worker([&] {
        while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < 50 * ms) {
        }
        tid = ::gettid();
        while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    });
    while (tid == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ASSERT_TRUE(own.add(tid));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
    worker.join();
    const StateTotals totals = own.read();
    EXPECT_LT(totals.running_ns, totals.sleeping_ns);
    EXPECT_LT(totals.user_ticks_ns + totals.system_ticks_ns, 50 * ms);
}

TEST_P(StateTracerTest, RunningIsTheTimeOnACpu) {
    auto own = group(Follow::none);
    ASSERT_TRUE(own.add(::gettid()));
    const auto cpu_before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    spin_for(50 * ms);
    const auto cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_before;
    const StateTotals totals = own.read();
    // What was stolen is in running, not in CPU time where the kernel excludes it. The scheduler
    // reads its clock a little before the tracepoint of a switch, hence 5 %.
    EXPECT_GE(totals.running_ns + totals.unseen_ns, cpu - cpu / 20);
    EXPECT_LE(totals.user_ticks_ns + totals.system_ticks_ns, totals.lifetime_ns() + 20 * ms);
    std::printf("running %.3f ms, cpu %.3f, unseen %.3f, ticks user %.1f system %.1f\n",
                static_cast<double>(totals.running_ns) / 1e6, static_cast<double>(cpu) / 1e6,
                static_cast<double>(totals.unseen_ns) / 1e6,
                static_cast<double>(totals.user_ticks_ns) / 1e6,
                static_cast<double>(totals.system_ticks_ns) / 1e6);
}

TEST_P(StateTracerTest, EndedThreadsStayInTheSums) {
    constexpr std::uint64_t count = 1000;
    auto all = group(Follow::threads);
    ASSERT_TRUE(all.add(::gettid()));
    std::uint64_t lives_ns = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t life_ns = 0;
        std::thread([&] {
            const auto begun = clock_ns(CLOCK_MONOTONIC);
            spin_for(10'000);
            life_ns = clock_ns(CLOCK_MONOTONIC) - begun;
        }).join();
        lives_ns += life_ns;
    }
    const StateTotals totals = all.read();
    EXPECT_EQ(totals.threads, count + 1);
    EXPECT_GE(totals.lifetime_ns(), 2 * lives_ns);  // we waited as long as they lived
}

TEST_P(StateTracerTest, ChildrenCountOnlyWhenFollowed) {
    if (sanitizer::thread) GTEST_SKIP() << sanitizer::adds_threads;
    auto alone = group(Follow::threads);
    auto tree = group(Follow::children);
    ASSERT_TRUE(alone.add(::gettid()));
    ASSERT_TRUE(tree.add(::gettid()));
    const pid_t child = ::fork();
    if (child == 0) {
        spin_for(30 * ms);
        ::_exit(0);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const StateTotals of_one = alone.read();
    const StateTotals of_tree = tree.read();
    EXPECT_EQ(of_one.threads, 1u);
    EXPECT_EQ(of_tree.threads, 2u);
    EXPECT_GE(of_tree.lifetime_ns(), of_one.lifetime_ns() + 30 * ms);
}

// A thread that executes another program ends its process's other threads and takes the number of
// the first one.
TEST_P(StateTracerTest, FollowsAThreadThatExecutes) {
    if (sanitizer::thread) GTEST_SKIP() << sanitizer::adds_threads;
    auto tree = group(Follow::children);
    ASSERT_TRUE(tree.add(::gettid()));
    const pid_t child = ::fork();
    if (child == 0) {
        std::thread([] { ::execlp("sleep", "sleep", "0.05", nullptr); }).detach();
        for (;;) ::pause();
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const StateTotals totals = tree.read();
    EXPECT_EQ(totals.threads, 3u);
    EXPECT_GE(totals.sleeping_ns + totals.unseen_ns, 2 * 50 * ms);  // its sleep, and ours meanwhile
    // Nobody but us is alive.
    const auto before = clock_ns(CLOCK_MONOTONIC);
    const StateTotals first = tree.read();
    spin_for(20 * ms);
    const StateTotals second = tree.read();
    EXPECT_LE(second.lifetime_ns() - first.lifetime_ns(), clock_ns(CLOCK_MONOTONIC) - before);
}

TEST_P(StateTracerTest, StoppedIsNotAsleep) {
    auto tree = group(Follow::children);
    ASSERT_TRUE(tree.add(::gettid()));
    const pid_t child = ::fork();
    if (child == 0) {
        ::raise(SIGSTOP);
        ::_exit(0);
    }
    ASSERT_EQ(::waitpid(child, nullptr, WUNTRACED), child);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    ASSERT_EQ(::kill(child, SIGCONT), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const StateTotals totals = tree.read();
    EXPECT_GE(totals.stopped_ns + totals.unseen_ns, 29 * ms);
}

TEST_P(StateTracerTest, RefusesAThreadInTooManyGroupsAndOneThatIsGone) {
    std::vector<StateGroup> groups;
    for (int i = 0; i < 5; ++i) groups.push_back(group(Follow::none));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(groups[i].add(::gettid()));
    EXPECT_EQ(groups[4].add(::gettid()).error().code, ErrorCode::busy);
    EXPECT_FALSE(groups[4].add(0x3fffffff));
}

INSTANTIATE_TEST_SUITE_P(Bpf, StateTracerTest, testing::Bool(),
                         [](const auto& way) { return way.param ? "with_faults" : "plain"; });

}  // namespace
}  // namespace ringside::bpf
