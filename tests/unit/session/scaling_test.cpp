#include "session/scaling.h"

#include <gtest/gtest.h>

namespace ringside::session {
namespace {

TEST(Scaling, WhatRanAllTheTimeIsExact) {
    const Reading reading = scaled_reading(12345, 8'000'000, 8'000'000);
    EXPECT_EQ(reading.value, 12345);
    EXPECT_EQ(reading.scale_error, 0);
    EXPECT_EQ(reading.state, CounterState::ok);
    EXPECT_EQ(reading.running_ratio(), 1.0);
}

TEST(Scaling, APartIsScaledToTheWholeWithItsError) {
    // 4 turns of 16: error = value * sqrt(0.75 / 4).
    const Reading reading = scaled_reading(1000, 64'000'000, 16'000'000);
    EXPECT_EQ(reading.value, 4000);
    EXPECT_EQ(reading.scale_error, 1732);
    EXPECT_EQ(reading.running_ratio(), 0.25);
    EXPECT_EQ(scaled_value(1000, 64'000'000, 16'000'000), 4000);
}

TEST(Scaling, LessThanATurnCountsAsOne) {
    EXPECT_EQ(scaled_reading(100, 2'000'000, 1'000'000).scale_error, 141);
}

TEST(Scaling, WithoutATurnThereIsNoValue) {
    const Reading reading = scaled_reading(0, 1000, 0);
    EXPECT_EQ(reading.state, CounterState::not_scheduled);
    EXPECT_EQ(reading.value, 0);
}

TEST(Scaling, BetweenTwoReadingsOnlyTheTimeBetweenCounts) {
    // 1000 in 16 of 64 ms; then 500 more while it ran for 4 of 8 ms.
    const Reading earlier = scaled_reading(1000, 64'000'000, 16'000'000);
    const Reading later = scaled_reading(1500, 72'000'000, 20'000'000);
    const Reading interval = between(earlier, later);
    EXPECT_EQ(interval.value, 1000);
    EXPECT_EQ(interval.running_ratio(), 0.5);
    EXPECT_EQ(interval.state, CounterState::ok);
}

TEST(Scaling, BetweenTwoReadingsWithoutATurnNothingIsKnown) {
    const Reading earlier = scaled_reading(1000, 8'000'000, 8'000'000);
    const Reading later = scaled_reading(1000, 16'000'000, 8'000'000);
    EXPECT_EQ(between(earlier, later).state, CounterState::not_scheduled);
    EXPECT_EQ(between(earlier, earlier).state, CounterState::ok);
    EXPECT_EQ(between(earlier, earlier).value, 0);
}

TEST(Scaling, BetweenTwoReadingsTheLaterVerdictStays) {
    Reading later = scaled_reading(1000, 8'000'000, 8'000'000);
    later.state = CounterState::starved;
    EXPECT_EQ(between({}, later).state, CounterState::starved);
}

TEST(Scaling, WhatWasNeverEnabledIsAnHonestZero) {
    EXPECT_EQ(scaled_reading(0, 0, 0).state, CounterState::ok);
    EXPECT_EQ(scaled_reading(0, 0, 0).running_ratio(), 1.0);
}

}  // namespace
}  // namespace ringside::session
