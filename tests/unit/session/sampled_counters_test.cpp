#include "session/sampled_counters.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace ringside::session {
namespace {

// A source whose next values the test writes down: a total and a level.
class Scripted final : public SampledCounters {
  public:
    Scripted() : SampledCounters(events()) {}

    std::int64_t total = 0;
    std::int64_t level = 0;
    CounterState state = CounterState::ok;
    bool broken = false;
    bool restarted = false;

    std::int64_t read_total() { return read_both()[0].value; }
    std::int64_t read_level() { return read_both()[1].value; }
    std::vector<Reading> read_both() {
        std::vector<Reading> both(2);
        EXPECT_TRUE(read(both));
        return both;
    }

  private:
    static std::vector<ComponentEvent> events() {
        return {{"TOTAL", "", "", false, 0}, {"LEVEL", "", "", true, 1}};
    }
    Result<void> sample(std::span<Reading> out) override {
        if (broken) return base::fail(ErrorCode::io, "broken");
        if (restarted) source_restarted();
        restarted = false;
        out[0] = {total, state};
        out[1] = {level, state};
        return {};
    }
};

TEST(SampledCounters, ATotalCountsFromTheStartAndALevelIsGivenAsItStands) {
    Scripted source;
    source.total = 100;
    source.level = 7;
    ASSERT_TRUE(source.start());
    EXPECT_EQ(source.read_total(), 0);
    EXPECT_EQ(source.read_level(), 7);
    source.total = 130;
    source.level = 3;
    EXPECT_EQ(source.read_total(), 30);
    EXPECT_EQ(source.read_level(), 3);
}

TEST(SampledCounters, GoesOnFromWhereASourceSteppedBackTo) {
    Scripted source;
    source.total = 1000;
    ASSERT_TRUE(source.start());
    source.total = 1010;
    EXPECT_EQ(source.read_total(), 10);
    source.total = 2;  // the device was reset
    EXPECT_EQ(source.read_total(), 10);
    source.total = 7;
    EXPECT_EQ(source.read_total(), 15);
}

TEST(SampledCounters, ARestartThatShowsALargerValueAddsNothing) {
    Scripted source;
    ASSERT_TRUE(source.start());
    source.total = 5;
    EXPECT_EQ(source.read_total(), 5);
    source.total = 5000;
    source.restarted = true;
    EXPECT_EQ(source.read_total(), 5);
    source.total = 5001;
    EXPECT_EQ(source.read_total(), 6);
}

TEST(SampledCounters, ASourceThatComesLateCountsFromItsFirstAppearance) {
    Scripted source;
    source.state = CounterState::absent;
    ASSERT_TRUE(source.start());
    EXPECT_EQ(source.read_both()[0].state, CounterState::absent);
    source.state = CounterState::ok;
    source.total = 500;
    EXPECT_EQ(source.read_total(), 0);
    source.total = 503;
    EXPECT_EQ(source.read_total(), 3);
}

TEST(SampledCounters, ASourceThatGoesAwayKeepsItsSumAndSaysSo) {
    Scripted source;
    ASSERT_TRUE(source.start());
    source.total = 5;
    EXPECT_EQ(source.read_total(), 5);
    source.state = CounterState::absent;
    source.total = 0;
    const auto gone = source.read_both();
    EXPECT_EQ(gone[0].value, 5);
    EXPECT_EQ(gone[0].state, CounterState::absent);
    source.state = CounterState::ok;
    source.total = 8;  // as after a reset, or not: only growth since it was last known counts
    EXPECT_EQ(source.read_total(), 8);
}

TEST(SampledCounters, StopKeepsTheValuesAndResetTakesTheTotalsBackToZero) {
    Scripted source;
    ASSERT_TRUE(source.start());
    source.total = 4;
    source.level = 9;
    ASSERT_TRUE(source.stop());
    source.total = 100;
    EXPECT_EQ(source.read_total(), 4);
    ASSERT_TRUE(source.reset());
    EXPECT_EQ(source.read_total(), 0);
    EXPECT_EQ(source.read_level(), 9);
    ASSERT_TRUE(source.start());
    source.total = 101;
    EXPECT_EQ(source.read_total(), 1);
    ASSERT_TRUE(source.reset());
    EXPECT_EQ(source.read_total(), 0);
    source.total = 103;
    EXPECT_EQ(source.read_total(), 2);
}

TEST(SampledCounters, AFailingSourceFailsTheReadAndLosesNothing) {
    Scripted source;
    ASSERT_TRUE(source.start());
    source.total = 4;
    EXPECT_EQ(source.read_total(), 4);
    source.broken = true;
    std::vector<Reading> both(2);
    EXPECT_FALSE(source.read(both));
    EXPECT_FALSE(source.stop());
    source.broken = false;
    EXPECT_EQ(source.read_total(), 4);
}

}  // namespace
}  // namespace ringside::session
