#include "accounting/machine_time.h"

#include <gtest/gtest.h>

#include "../platform/temp_tree.h"
#include "proc/stat.h"

namespace ringside::accounting {
namespace {

using platform::TempTree;

constexpr const char* before =
    "cpu  30 0 30 300 0 0 0 0 0 0\n"
    "cpu0 10 0 10 100 0 0 0 0 0 0\n"
    "cpu1 20 0 20 200 0 0 0 0 0 0\n";
constexpr const char* after =
    "cpu  60 6 48 330 12 6 3 15 0 0\n"
    "cpu0 20 2 16 110 4 2 1 5 0 0\n"
    "cpu1 40 4 32 220 8 4 2 10 0 0\n";

TEST(MachineTime, IsTheGrowthOfTheCpusThatWereNamed) {
    TempTree tree;
    tree.put("/proc/stat", before);
    auto meter = make_cpu_time_meter(tree.root(), {1});
    ASSERT_TRUE(meter);
    tree.put("/proc/stat", after);
    const auto time = (*meter)->read();
    ASSERT_TRUE(time);
    EXPECT_EQ(time->cpus, 1u);
    EXPECT_EQ(time->user_ns, 24 * proc::tick_ns());
    EXPECT_EQ(time->kernel_ns, 18 * proc::tick_ns());
    EXPECT_EQ(time->stolen_ns, 10 * proc::tick_ns());
    EXPECT_EQ(time->idle_ns, 20 * proc::tick_ns());
    EXPECT_EQ(time->idle_io_ns, 8 * proc::tick_ns());
    EXPECT_EQ(time->unexplained_ns(), static_cast<std::int64_t>(time->wall_ns) -
                                          static_cast<std::int64_t>(80 * proc::tick_ns()));
}

TEST(MachineTime, AllCpusUnlessSomeAreNamed) {
    TempTree tree;
    tree.put("/proc/stat", before);
    auto meter = make_cpu_time_meter(tree.root(), {});
    ASSERT_TRUE(meter);
    tree.put("/proc/stat", after);
    const auto time = (*meter)->read();
    ASSERT_TRUE(time);
    EXPECT_EQ(time->cpus, 2u);
    EXPECT_EQ(time->user_ns, 36 * proc::tick_ns());
}

TEST(MachineTime, OfACgroupOfVersionTwo) {
    TempTree tree;
    tree.put("/sys/fs/cgroup/a/b/cpu.stat", "usage_usec 30\nuser_usec 20\nsystem_usec 10\n");
    auto meter = make_cgroup_time_meter(tree.root(), "a/b");
    ASSERT_TRUE(meter) << meter.error().what;
    tree.put("/sys/fs/cgroup/a/b/cpu.stat", "usage_usec 90\nuser_usec 70\nsystem_usec 20\n");
    const auto time = (*meter)->read();
    ASSERT_TRUE(time);
    EXPECT_EQ(time->user_ns, 50'000u);
    EXPECT_EQ(time->kernel_ns, 10'000u);
    EXPECT_FALSE(time->unexplained_ns());
}

TEST(MachineTime, OfACgroupOfVersionOne) {
    TempTree tree;
    tree.put("/sys/fs/cgroup/cpuacct/a/cpuacct.usage_user", "5\n");
    tree.put("/sys/fs/cgroup/cpuacct/a/cpuacct.usage_sys", "7\n");
    auto meter = make_cgroup_time_meter(tree.root(), "/a");
    ASSERT_TRUE(meter) << meter.error().what;
    tree.put("/sys/fs/cgroup/cpuacct/a/cpuacct.usage_user", "15\n");
    const auto time = (*meter)->read();
    ASSERT_TRUE(time);
    EXPECT_EQ(time->user_ns, 10u);
    EXPECT_EQ(time->kernel_ns, 0u);
}

TEST(MachineTime, OfACgroupThatIsNotThere) {
    const TempTree tree;
    EXPECT_FALSE(make_cgroup_time_meter(tree.root(), "none"));
    EXPECT_FALSE(make_cpu_time_meter(tree.root(), {}));
}

}  // namespace
}  // namespace ringside::accounting
