#include "analysis/time_sums.h"

#include <vector>

#include <gtest/gtest.h>

namespace ringside::analysis {
namespace {

TimeSplit split(std::uint64_t lifetime_ns, std::uint64_t user_ns, std::uint64_t waiting_ns) {
    TimeSplit made;
    made.clock.real_ns = lifetime_ns;
    made.lifetime_ns = lifetime_ns;
    made.threads = 1;
    made.user = {user_ns, 1, "a clock", {}};
    made.kernel = {0, 0, "a clock", {}};
    made.waiting = {waiting_ns, 2, "schedstat", {}};
    made.unexplained_ns =
        static_cast<std::int64_t>(lifetime_ns) - static_cast<std::int64_t>(user_ns + waiting_ns);
    return made;
}

TEST(TimeSums, AnIntervalIsTheDifference) {
    const TimeSplit interval = between(split(100, 30, 20), split(250, 90, 30));
    EXPECT_EQ(interval.lifetime_ns, 150u);
    EXPECT_EQ(interval.clock.real_ns, 150u);
    EXPECT_EQ(interval.user.ns, 60u);
    EXPECT_EQ(interval.waiting.ns, 10u);
    EXPECT_EQ(interval.unexplained_ns, 80);
}

// User and kernel are told apart by ticks, so that a part can shrink while their sum grows.
TEST(TimeSums, APartThatShrankGivesNothingAndTheRestStillSumsUp) {
    const TimeSplit interval = between(split(100, 50, 0), split(200, 40, 0));
    EXPECT_EQ(interval.user.ns, 0u);
    EXPECT_EQ(interval.unexplained_ns, 100);
}

TEST(TimeSums, SideBySideTheLongestWallTimeCounts) {
    const std::vector<TimeSplit> splits = {split(100, 30, 20), split(250, 90, 30)};
    const TimeSplit sum = together(splits);
    EXPECT_EQ(sum.clock.real_ns, 250u);
    EXPECT_EQ(sum.lifetime_ns, 350u);
    EXPECT_EQ(sum.threads, 2u);
    EXPECT_EQ(sum.user.ns, 120u);
    EXPECT_EQ(sum.user.error_ns, 2u);
    EXPECT_EQ(sum.unexplained_ns, 350 - 120 - 50);
}

TEST(TimeSums, WhatIsNotKnownOfOneIsNotKnownOfAll) {
    std::vector<TimeSplit> splits = {split(100, 30, 20), split(100, 30, 20)};
    splits[1].waiting = {{}, 0, {}, "no schedstat"};
    const TimeSplit sum = together(splits);
    EXPECT_FALSE(sum.waiting.ns);
    EXPECT_EQ(sum.waiting.reason, "no schedstat");
    EXPECT_EQ(sum.unexplained_ns, 200 - 60);
}

TEST(TimeSums, TheAverageRunStillSumsUp) {
    const std::vector<TimeSplit> splits = {split(100, 33, 20), split(201, 34, 21), split(7, 1, 1)};
    const TimeSplit mean = average(splits);
    EXPECT_EQ(mean.clock.real_ns, 308u / 3);
    EXPECT_EQ(mean.threads, 1u);
    EXPECT_EQ(mean.user.ns, 68u / 3);
    EXPECT_EQ(static_cast<std::int64_t>(*mean.user.ns + *mean.waiting.ns) + mean.unexplained_ns,
              static_cast<std::int64_t>(mean.lifetime_ns));
}

}  // namespace
}  // namespace ringside::analysis
