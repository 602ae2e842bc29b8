#include "accounting/proc_task.h"

#include <gtest/gtest.h>

namespace ringside::accounting {
namespace {

// A name with all that makes the line hard to read.
constexpr const char* stat_line =
    "4711 (a) b (c d)) D 1 4711 4711 0 -1 4194304 1234 99 5 77 250 31 12 7 20 0 3 0 4242 1000 200 "
    "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 45 0 0 0 0 0 0 0 0 0 0\n";

TEST(TaskStat, ReadsAroundAnyName) {
    const auto stat = parse_task_stat(stat_line);
    ASSERT_TRUE(stat);
    EXPECT_EQ(stat->state, 'D');
    EXPECT_EQ(stat->minor_faults, 1234u);
    EXPECT_EQ(stat->major_faults, 5u);
    EXPECT_EQ(stat->user_ticks, 250u);
    EXPECT_EQ(stat->system_ticks, 31u);
    EXPECT_EQ(stat->children_user_ticks, 12u);
    EXPECT_EQ(stat->children_system_ticks, 7u);
    EXPECT_EQ(stat->block_io_ticks, 45u);
}

TEST(TaskStat, AShortLineHasNoBlockIo) {
    const auto stat = parse_task_stat("1 (x) R 0 0 0 0 -1 0 1 2 3 4 5 6 7 8\n");
    ASSERT_TRUE(stat);
    EXPECT_EQ(stat->children_system_ticks, 8u);
    EXPECT_FALSE(stat->block_io_ticks);
}

TEST(TaskStat, RefusesWhatIsNone) {
    for (const char* text : {"", ")", "1 (x", "1 (x) ", "1 (x) R", "1 (x) RS 0 0 0 0 -1 0 1 2 3 4",
                             "1 (x) R 0 0 0 0 -1 0 1 2 3 4 5 6 seven 8"}) {
        EXPECT_FALSE(parse_task_stat(text)) << text;
    }
}

TEST(SleepSums, BlockedIsTakenOutOfSleep) {
    const auto sums = parse_sleep_sums(
        "sh (4711, #threads: 1)\n---------\n"
        "se.exec_start                                :      12345678.901234\n"
        "sum_sleep_runtime                            :          1500.000001\n"
        "sum_block_runtime                            :           500.000000\n"
        "iowait_sum                                   :           400.250000\n");
    ASSERT_TRUE(sums);
    EXPECT_EQ(sums->sleeping_ns, 1'000'000'001u);
    EXPECT_EQ(sums->blocked_ns, 500'000'000u);
    EXPECT_EQ(sums->io_ns, 400'250'000u);
}

TEST(SleepSums, OlderKernelsWriteAPrefix) {
    const auto sums = parse_sleep_sums(
        "se.statistics.sum_sleep_runtime  : 7.000000\n"
        "se.statistics.sum_block_runtime  : 2.000000\n"
        "se.statistics.iowait_sum         : 1.000000\n");
    ASSERT_TRUE(sums);
    EXPECT_EQ(sums->sleeping_ns, 5'000'000u);
}

TEST(SleepSums, AreNotThereWhileSwitchedOff) {
    EXPECT_FALSE(parse_sleep_sums("se.exec_start : 1.000000\nnr_switches : 12\n"));
    EXPECT_FALSE(parse_sleep_sums(""));
    EXPECT_FALSE(
        parse_sleep_sums("sum_sleep_runtime : 1\nsum_block_runtime : 1.000000\n"
                         "iowait_sum : 99999999999999999999.000000\n"));
}

}  // namespace
}  // namespace ringside::accounting
