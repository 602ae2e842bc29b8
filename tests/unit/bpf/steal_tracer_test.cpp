// The BPF program against the running kernel; skipped where it may not be loaded.
#include "bpf/steal_tracer.h"

#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock_ns.h"

namespace ringside::bpf {
namespace {

void spin_for(std::chrono::milliseconds duration) {
    const auto end = std::chrono::steady_clock::now() + duration;
    while (std::chrono::steady_clock::now() < end) {
    }
}

class StealTracerTest : public testing::Test {
  protected:
    void SetUp() override {
        auto loaded = StealTracer::load(base::SysRoot());
        if (!loaded) GTEST_SKIP() << loaded.error().what;
        tracer_ = *loaded;
    }
    StealGroup group(Follow follow) {
        auto made = tracer_->make_group(follow);
        EXPECT_TRUE(made) << made.error().what;
        return std::move(*made);
    }
    std::shared_ptr<StealTracer> tracer_;
};

TEST_F(StealTracerTest, KnowsWhereEveryCpusCounterLies) {
    auto cpus = tracer_->read_cpus();
    ASSERT_TRUE(cpus) << cpus.error().what;
    EXPECT_EQ(cpus->size(), static_cast<std::size_t>(::sysconf(_SC_NPROCESSORS_ONLN)));
    for (const auto& cpu : *cpus) EXPECT_NE(cpu.source, StealSource::unknown);
}

TEST_F(StealTracerTest, NotingAllCpusAtOnceGivesWhatVisitingEachGives) {
    const auto before = tracer_->read_cpus();
    ASSERT_TRUE(tracer_->note_cpus());
    std::vector<std::optional<std::uint64_t>> noted;
    for (int cpu = 0; cpu < tracer_->cpu_count(); ++cpu) noted.push_back(tracer_->steal_of(cpu));
    const auto after = tracer_->read_cpus();
    ASSERT_TRUE(before && after);
    for (std::size_t i = 0; i < before->size() && i < after->size(); ++i) {
        const auto& between = noted[static_cast<std::size_t>((*before)[i].cpu)];
        ASSERT_TRUE(between);
        EXPECT_GE(*between, (*before)[i].steal_ns);
        EXPECT_LE(*between, (*after)[i].steal_ns);
    }
}

TEST_F(StealTracerTest, OccupiedTimeOfTheCallerIsBetweenCpuAndRealTime) {
    auto own = group(Follow::none);
    const auto real_before = clock_ns(CLOCK_MONOTONIC);
    ASSERT_TRUE(own.add(::gettid()));
    const auto cpu_before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    spin_for(std::chrono::milliseconds(50));
    const auto cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_before;
    const auto totals = own.read();
    const auto real = clock_ns(CLOCK_MONOTONIC) - real_before;
    EXPECT_GE(totals.occupied_ns, cpu - cpu / 20);  // the clocks of a switch are read one by one
    EXPECT_LE(totals.occupied_ns, real);
    EXPECT_LE(totals.steal_ns, totals.occupied_ns);
}

TEST_F(StealTracerTest, SleepIsNotOccupied) {
    constexpr std::uint64_t sleep_ns = 100'000'000;
    auto own = group(Follow::none);
    const auto before = clock_ns(CLOCK_MONOTONIC);
    ASSERT_TRUE(own.add(::gettid()));
    std::this_thread::sleep_for(std::chrono::nanoseconds(sleep_ns));
    const auto totals = own.read();
    const auto real = clock_ns(CLOCK_MONOTONIC) - before;
    EXPECT_LE(totals.occupied_ns, real - sleep_ns);
}

TEST_F(StealTracerTest, FollowsThreadsOnlyWhenAsked) {
    auto alone = group(Follow::none);
    auto with_threads = group(Follow::threads);
    ASSERT_TRUE(alone.add(::gettid()));
    ASSERT_TRUE(with_threads.add(::gettid()));
    std::uint64_t worker_cpu_ns = 0;
    std::thread([&] {
        spin_for(std::chrono::milliseconds(50));
        worker_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    }).join();
    const auto alone_ns = alone.read().occupied_ns;  // first: it goes on while we read
    EXPECT_GE(with_threads.read().occupied_ns - alone_ns, worker_cpu_ns - worker_cpu_ns / 20);
}

TEST_F(StealTracerTest, ANewGroupStartsFromNothing) {
    for (int round = 0; round < 3; ++round) {
        auto own = group(Follow::none);
        EXPECT_EQ(own.read().occupied_ns, 0u);
        ASSERT_TRUE(own.add(::gettid()));
        spin_for(std::chrono::milliseconds(5));
        EXPECT_GT(own.read().occupied_ns, 0u);
    }
}

TEST_F(StealTracerTest, RefusesAThreadInTooManyGroupsAndOneThatIsGone) {
    std::vector<StealGroup> groups;
    for (int i = 0; i < 5; ++i) groups.push_back(group(Follow::none));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(groups[i].add(::gettid()));
    EXPECT_EQ(groups[4].add(::gettid()).error().code, ErrorCode::busy);
    pid_t gone = 0;
    std::thread([&] { gone = ::gettid(); }).join();
    // join() returns while the kernel is still taking the thread down
    while (::syscall(SYS_tkill, gone, 0) == 0) std::this_thread::yield();
    EXPECT_FALSE(groups[4].add(gone));
}

}  // namespace
}  // namespace ringside::bpf
