#include "analysis/stat.h"

#include <gmock/gmock.h>

namespace ringside::analysis {
namespace {

using ::testing::HasSubstr;

StatRow row(const char* name, double value, const char* place = "") {
    StatRow made;
    made.name = name;
    made.value = value;
    made.place = place;
    return made;
}

TEST(StatRows, RunsBecomeAMean) {
    const std::vector<StatRows> runs = {{row("a", 10)}, {row("a", 14)}};
    const StatRows rows = over_runs(runs);
    ASSERT_TRUE(rows[0].runs);
    EXPECT_EQ(rows[0].value, 12);
    EXPECT_EQ(rows[0].runs->least, 10);
    EXPECT_EQ(rows[0].runs->most, 14);
}

TEST(StatRows, OneRunStaysAsItIs) {
    const std::vector<StatRows> runs = {{row("a", 10)}};
    EXPECT_FALSE(over_runs(runs)[0].runs);
    EXPECT_EQ(over_runs(runs)[0].value, 10);
}

TEST(StatRows, ARunThatWasNotOkLeavesNoMean) {
    StatRow dead = row("a", 0);
    dead.state = CounterState::dead;
    dead.reason = "never counts";
    const StatRows rows = over_runs(std::vector<StatRows>{{row("a", 10)}, {dead}, {row("a", 12)}});
    EXPECT_EQ(rows[0].state, CounterState::dead);
    EXPECT_EQ(rows[0].reason, "in 1 of 3 runs: never counts");
    EXPECT_FALSE(rows[0].runs);
}

TEST(StatRows, TheLeastRunningRatioIsKept) {
    StatRow scaled = row("a", 10);
    scaled.running_ratio = 0.5;
    const StatRows rows = over_runs(std::vector<StatRows>{{row("a", 10)}, {scaled}});
    EXPECT_EQ(rows[0].running_ratio, 0.5);
    EXPECT_TRUE(rows[0].scaled());
}

TEST(Remarks, AreAboutEventsOfTheSamePlaceAndModes) {
    const StatRows rows = {row("cycles:u", 100), row("instructions:u", 150),
                           row("instructions", 170), row("cycles", 50, "CPU 1")};
    EXPECT_EQ(remark_on(rows[1], rows, 0), "1.50 a cycle");
    EXPECT_EQ(remark_on(rows[2], rows, 0), "");
    EXPECT_EQ(remark_on(rows[3], rows, 0), "");
}

TEST(Remarks, CpusUsedAndRates) {
    const StatRows rows = {row("task-clock", 5e8), row("page-faults", 100), row("cycles", 1e9),
                           row("branches", 200), row("branch-misses", 3)};
    EXPECT_EQ(remark_on(rows[0], rows, 1'000'000'000), "0.500 CPUs used");
    EXPECT_EQ(remark_on(rows[1], rows, 0), "200.0 a second on a CPU");
    EXPECT_EQ(remark_on(rows[2], rows, 0), "2.000 GHz");
    EXPECT_EQ(remark_on(rows[4], rows, 0), "1.50 % of branches");
}

TEST(Remarks, NothingIsSaidBesideAValueThatCannotBeUsed) {
    StatRows rows = {row("cycles", 100), row("instructions", 150)};
    rows[0].state = CounterState::starved;
    EXPECT_EQ(remark_on(rows[1], rows, 0), "");
    rows[0] = row("cycles", 0);
    EXPECT_EQ(remark_on(rows[1], rows, 0), "");
}

}  // namespace
}  // namespace ringside::analysis
