#include "proc/stat.h"

#include <gtest/gtest.h>

#include "../platform/temp_tree.h"

namespace ringside::proc {
namespace {

using platform::TempTree;

CpuTicks with_steal(std::uint64_t ticks) {
    CpuTicks cpu;
    cpu.steal = ticks;
    return cpu;
}

Stat one_cpu(int number, const CpuTicks& ticks) {
    Stat stat;
    stat.cpus[number] = ticks;
    return stat;
}

TEST(Stat, ReadsTheColumnsOfEveryCpu) {
    const auto stat = parse_stat(
        "cpu  10 2 30 400 5 6 7 80 9 1\n"
        "cpu0 4 1 10 200 2 3 4 50 9 1\n"
        "cpu3 6 1 20 200 3 3 3 30 0 0\n"
        "intr 1 2 3\nctxt 5\n");
    ASSERT_TRUE(stat);
    EXPECT_EQ(stat->total, (CpuTicks{10, 2, 30, 400, 5, 6, 7, 80}));
    ASSERT_EQ(stat->cpus.size(), 2u);
    EXPECT_EQ(stat->cpus.at(3), (CpuTicks{6, 1, 20, 200, 3, 3, 3, 30}));
}

TEST(Stat, BusyCountsGuestTimeOnceAndStealToo) {
    // guest and guest_nice, the last two, are in user and nice already
    const auto stat = parse_stat("cpu0 100 10 5 1000 50 1 2 20 90 10\n");
    ASSERT_TRUE(stat);
    EXPECT_EQ(stat->cpus.at(0).busy(), 100u + 10 + 5 + 1 + 2 + 20);
}

TEST(Stat, AShortLineOfAnOldKernelEndsWithZeros) {
    const auto stat = parse_stat("cpu 1 2 3 4\ncpu0 1 2 3 4\n");
    ASSERT_TRUE(stat);
    EXPECT_EQ(stat->cpus.at(0).idle, 4u);
    EXPECT_EQ(stat->cpus.at(0).steal, 0u);
}

TEST(Stat, LeavesOutWhatMakesNoSense) {
    const auto stat = parse_stat(
        "cpu 1 2 3 4 5 6 7 8\ncpux 1 2\ncpu1 a b\ncpu99999999 1 2\ncpu2 18446744073709551616 1\n"
        "cpu4 1 2 3 4 5 6 7 8\n");
    ASSERT_TRUE(stat);
    ASSERT_EQ(stat->cpus.size(), 1u);
    EXPECT_EQ(stat->cpus.count(4), 1u);
    EXPECT_FALSE(parse_stat(""));
    EXPECT_FALSE(parse_stat("intr 1 2 3\n"));
}

TEST(ProcStat, IsReadFromTheMachine) {
    TempTree tree;
    EXPECT_EQ(read_stat(tree.root()).error().code, ErrorCode::not_found);
    tree.put("/proc/stat", "intr 1 2 3\n");
    EXPECT_EQ(read_stat(tree.root()).error().code, ErrorCode::bad_input);
    tree.put("/proc/stat", "cpu  1 2 3 4 5 6 7 8 9 10\ncpu1 1 2 3 4 5 6 7 8 9 10\n");
    const auto stat = read_stat(tree.root());
    ASSERT_TRUE(stat);
    EXPECT_EQ(stat->total.steal, 8u);
    EXPECT_EQ(stat->cpus.at(1).user, 1u);
}

TEST(TickSums, StepsBackCountAsNothing) {
    TickSums sums;
    for (const std::uint64_t ticks : {100u, 110u, 90u, 95u, 120u}) {
        sums.add(one_cpu(0, with_steal(ticks)));
    }
    EXPECT_EQ(sums.since_start().at(0).steal, 10u + 0 + 5 + 25);
}

TEST(TickSums, ACpuThatGoesAndComesBackKeepsItsSum) {
    TickSums sums;
    Stat both = one_cpu(0, with_steal(5));
    both.cpus[1] = with_steal(50);
    sums.add(both);
    both.cpus[1] = with_steal(60);
    sums.add(both);
    sums.add(one_cpu(0, with_steal(6)));
    EXPECT_EQ(sums.since_start().at(1).steal, 10u);
    both.cpus[1] = with_steal(63);
    sums.add(both);
    EXPECT_EQ(sums.since_start().at(1).steal, 13u);
}

TEST(TickSums, ANewCpuCountsFromWhenItWasFirstSeen) {
    TickSums sums;
    sums.add(one_cpu(0, with_steal(0)));
    sums.add(one_cpu(7, with_steal(1000)));
    sums.add(one_cpu(7, with_steal(1004)));
    EXPECT_EQ(sums.since_start().at(7).steal, 4u);
}

}  // namespace
}  // namespace ringside::proc
