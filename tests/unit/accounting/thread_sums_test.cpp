// Sums read from machines made of a few files: sources that are there, switched off, or unknown to
// the kernel; and budgets made of them.
#include "accounting/thread_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ringside/clocks.h>

#include "../platform/temp_tree.h"
#include "accounting/meter.h"
#include "proc/stat.h"

namespace ringside::accounting {
namespace {

using platform::TempTree;
using testing::HasSubstr;

std::string stat_with(char state, int user_ticks, int block_io_ticks) {
    std::string text = "42 (work) ";
    text += state;
    text += " 1 42 42 0 -1 0 100 0 3 0 " + std::to_string(user_ticks) + " 10 0 0 20 0 1 0 0 0 0";
    for (int field = 25; field <= 41; ++field) text += " 0";
    return text + " " + std::to_string(block_io_ticks) + " 0 0\n";
}

std::string sched_text(int sleep_ms, int block_ms) {
    return "sum_sleep_runtime : " + std::to_string(sleep_ms) +
           ".000000\nsum_block_runtime : " + std::to_string(block_ms) +
           ".000000\niowait_sum : " + std::to_string(block_ms / 2) + ".000000\n";
}

void put_thread(TempTree& tree, int user_ticks, int block_io_ticks, const std::string& schedstat) {
    tree.put("/proc/42/status", "Name:\twork\nTgid:\t42\n")
        .put("/proc/42/stat", stat_with('S', user_ticks, block_io_ticks))
        .put("/proc/42/task/42/stat", stat_with('S', user_ticks, block_io_ticks))
        .put("/proc/42/schedstat", schedstat);
}

class SumsOfAMachine : public testing::Test {
  protected:
    void SetUp() override { put_thread(tree_, 100, 7, "1000 2000000 5\n"); }
    ThreadSums sums() {
        Sources sources;
        sources.missing = find_missing(tree_.root());
        return read_sums(tree_.root(), sources, 42).value();
    }
    BudgetMeterPtr meter() {
        return make_summed_meter(tree_.root(), {clocks::Subject::Extent::process, 42, false}, {});
    }
    TempTree tree_;
};

TEST_F(SumsOfAMachine, WithEverySource) {
    tree_.put("/proc/sys/kernel/sched_schedstats", "1\n")
        .put("/proc/sys/kernel/task_delayacct", "1\n")
        .put("/proc/42/sched", sched_text(30, 10));
    const ThreadSums found = sums();
    EXPECT_EQ(found.waiting_ns, 2'000'000u);
    EXPECT_EQ(found.sleeping_ns, 20'000'000u);
    EXPECT_EQ(found.blocked_ns, 10'000'000u);
    EXPECT_EQ(found.io_ns, 5'000'000u);
    EXPECT_EQ(found.major_faults, 3u);
}

// Since before the first reading, by a clock that is 5 s ahead of ours.
TEST_F(SumsOfAMachine, TheSleepItIsInCounts) {
    constexpr std::uint64_t second_ns = 1'000'000'000;
    const std::uint64_t since_ns = real_ns() + 5 * second_ns - 7 * second_ns;
    tree_.put("/proc/sys/kernel/sched_schedstats", "1\n")
        .put("/proc/42/sched", sched_text(30, 10) + "sleep_start : " +
                                   std::to_string(since_ns / 1'000'000) + ".000000\n");
    Sources sources;
    sources.scheduler_ahead_ns = 5 * second_ns;
    const ThreadSums found = read_sums(tree_.root(), sources, 42).value();
    EXPECT_GE(*found.sleeping_ns, 7 * second_ns + 20'000'000);
    EXPECT_LE(*found.sleeping_ns, real_ns() + 5 * second_ns - since_ns + 21'000'000);
    EXPECT_EQ(found.blocked_ns, 10'000'000u);
}

TEST_F(SumsOfAMachine, DelayAccountingAloneTellsOfIo) {
    tree_.put("/proc/sys/kernel/sched_schedstats", "0\n")
        .put("/proc/sys/kernel/task_delayacct", "1\n");
    const ThreadSums found = sums();
    EXPECT_EQ(found.io_ns, 7 * proc::tick_ns());
    EXPECT_FALSE(found.sleeping_ns);
    EXPECT_FALSE(found.blocked_ns);
}

TEST_F(SumsOfAMachine, WhatIsSwitchedOffIsUnknownAndNamed) {
    tree_.put("/proc/sys/kernel/task_delayacct", "0\n").put("/proc/42/sched", sched_text(30, 10));
    const SourcesMissing missing = find_missing(tree_.root());
    EXPECT_EQ(missing.delay_accounting, "kernel.task_delayacct is 0");
    EXPECT_THAT(missing.schedstats, HasSubstr("CONFIG_SCHEDSTATS"));
    EXPECT_FALSE(sums().io_ns);  // the 7 ticks there are not what they seem
    EXPECT_FALSE(sums().sleeping_ns);
    EXPECT_TRUE(sums().waiting_ns);
}

TEST_F(SumsOfAMachine, WithoutAThreadHasNoSums) {
    Sources sources;
    EXPECT_FALSE(read_sums(tree_.root(), sources, 43));
}

TEST_F(SumsOfAMachine, ABudgetIsWhatGrewSinceItWasOpened) {
    tree_.put("/proc/sys/kernel/sched_schedstats", "1\n")
        .put("/proc/sys/kernel/task_delayacct", "0\n")
        .put("/proc/42/sched", sched_text(30, 10));
    const auto opened = meter();
    put_thread(tree_, 130, 7, "1000 2500000 9\n");
    tree_.put("/proc/42/sched", sched_text(75, 25));
    const auto facts = opened->read({});
    EXPECT_EQ(facts.threads, 1u);
    EXPECT_EQ(facts.waiting.ns, 500'000u);
    EXPECT_EQ(facts.blocked.ns, 15'000'000u);
    EXPECT_EQ(facts.sleeping.ns, 30'000'000u);
    EXPECT_EQ(facts.ticks->user_ns, 30 * proc::tick_ns());
    EXPECT_EQ(facts.ticks->system_ns, 0u);
    EXPECT_FALSE(facts.paging.ns);
    EXPECT_EQ(facts.paging.reason, "kernel.task_delayacct is 0");
    EXPECT_EQ(facts.waiting.error_ns, 0u);
}

TEST_F(SumsOfAMachine, WhatAThreadDidAfterItWasLastSeenIsInDoubt) {
    const auto opened = meter();
    std::filesystem::remove_all(tree_.root().locate("/proc/42"));
    const auto facts = opened->read({});
    EXPECT_EQ(facts.waiting.ns, 0u);
    EXPECT_GT(facts.waiting.error_ns, 0u);
    EXPECT_THAT(facts.waiting.reason, HasSubstr("at least"));
}

}  // namespace
}  // namespace ringside::accounting
