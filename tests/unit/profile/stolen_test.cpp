#include "profile/stolen.h"

#include <vector>

#include <gtest/gtest.h>

namespace ringside::profile {
namespace {

TEST(Stolen, IsTheSumOfWhatEachCpuLost) {
    const std::vector<perf::StealReading> readings{
        {100, 0, 7}, {100, 1, 50}, {200, 0, 17}, {300, 0, 27}, {300, 1, 50}};
    const auto stolen = stolen_between(readings);
    ASSERT_TRUE(stolen);
    EXPECT_EQ(stolen->cpus, 2u);
    EXPECT_EQ(stolen->stolen_ns, 20u);
    EXPECT_EQ(stolen->time_ns, 400u);
    EXPECT_DOUBLE_EQ(stolen->percent(), 5.0);
}

TEST(Stolen, IsNotKnownFromASingleReading) {
    EXPECT_FALSE(stolen_between({}));
    EXPECT_FALSE(stolen_between(std::vector<perf::StealReading>{{100, 0, 7}, {100, 1, 9}}));
}

// A reading that is smaller than the one before is the kernel's error and no gift.
TEST(Stolen, NeverRunsBackwards) {
    const auto stolen = stolen_between(std::vector<perf::StealReading>{{100, 0, 9}, {200, 0, 7}});
    ASSERT_TRUE(stolen);
    EXPECT_EQ(stolen->stolen_ns, 0u);
}

}  // namespace
}  // namespace ringside::profile
