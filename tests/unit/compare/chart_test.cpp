#include "compare/chart.h"

#include <gmock/gmock.h>

namespace ringside::compare {
namespace {

using run::Hit;
using run::Measurement;
using run::Run;
using run::Side;
using run::SideKind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

constexpr double second = 1e9;

Measurement measured(const std::string& event, double value, const std::string& unit = "") {
    Measurement count;
    count.name = event;
    count.value = value;
    count.unit = unit;
    return count;
}

Hit hit(const std::string& symbol, double value, bool in_kernel = false) {
    return {"cpu-clock", in_kernel ? "[kernel]" : "a.out", symbol, in_kernel, true, value, 0};
}

// Two runs of functions a, b and c, and a kernel's; the times and faults of an interval each 0.1 s.
Side sampled_side(const std::string& name, double factor) {
    Side side;
    side.name = name;
    for (const double noise : {0.9, 1.1}) {
        Run& run = side.runs.emplace_back();
        run.sampled = {{"cpu-clock", "ns", 100, 0}};
        const double unit = factor * noise * second;
        run.hits = {hit("a", 4 * unit), hit("b", 3 * unit), hit("c", 2 * unit),
                    hit("clear_page", 1 * unit, true)};
        run.counts = {measured("time.user", 9 * unit, "ns"),
                      measured("time.kernel", 1 * unit, "ns"), measured("time.stolen", 0, "ns"),
                      measured("time.stopped", 0, "ns"), measured("page-faults", 100)};
        for (int i = 1; i <= 3; ++i) {
            run.intervals.push_back({0.1 * i * noise,
                                     {measured("time.stolen", 0.05 * noise * second, "ns"),
                                      measured("page-faults", 10 * noise * i)}});
        }
    }
    return side;
}

std::vector<Side> two_sides() {
    std::vector<Side> sides{sampled_side("native", 1), sampled_side("vm", 2)};
    sides[1].kind = SideKind::tcg;
    return sides;
}

TEST(ChartFunctions, HasMeansConfidenceAndMarks) {
    const auto sides = two_sides();
    const auto figure = chart_functions(sides, *join(sides), "cpu-clock", 10);
    EXPECT_THAT(figure.series, ElementsAre("native", "vm (TCG)"));
    EXPECT_EQ(figure.axis, "cpu-clock [s] per run");
    const auto& groups = std::get<model::Bars>(figure.content).groups;
    ASSERT_EQ(groups.size(), 4u);
    EXPECT_EQ(groups[0].label, "a");
    EXPECT_EQ(groups[0].place, "a.out");
    EXPECT_EQ(groups[0].mark, "[.]");
    EXPECT_EQ(groups[3].mark, "[k]");
    EXPECT_DOUBLE_EQ(*groups[0].bars[0].value, 4);
    EXPECT_DOUBLE_EQ(*groups[0].bars[1].value, 8);
    EXPECT_LT(groups[0].bars[0].low, 4);
    EXPECT_GT(groups[0].bars[0].high, 4);
    EXPECT_THAT(
        std::get<model::Bars>(chart_functions(sides, *join(sides), "cpu-clock", 2).content).groups,
        SizeIs(2));
    EXPECT_THAT(
        std::get<model::Bars>(chart_functions(sides, *join(sides), "cycles", 2).content).groups,
        IsEmpty());
}

TEST(ChartFunctions, WhatASideDidNotSampleIsNoZero) {
    auto sides = two_sides();
    for (auto& run : sides[1].runs) {
        run.sampled.clear();
        run.hits.clear();
    }
    const auto figure = chart_functions(sides, *join(sides), "cpu-clock", 1);
    const auto& bars = std::get<model::Bars>(figure.content).groups.front().bars;
    EXPECT_TRUE(bars[0].value);
    EXPECT_FALSE(bars[1].value);
    EXPECT_EQ(bars[1].note, "absent");
}

TEST(ChartShares, TheRestIsAllThatHasNoPartOfItsOwn) {
    const auto sides = two_sides();
    auto comparison = *join(sides);
    comparison.functions.resize(3);  // as --top leaves them: the rest must not shrink
    const auto figure = chart_shares(sides, comparison, "cpu-clock", 2);
    const auto& parts = std::get<model::Parts>(figure.content).parts;
    EXPECT_TRUE(std::get<model::Parts>(figure.content).round);
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_THAT(parts[0].values[0], Optional(testing::DoubleEq(4)));
    EXPECT_TRUE(parts[2].rest);
    EXPECT_THAT(parts[2].values[0], Optional(testing::DoubleNear(3, 1e-9)));
    EXPECT_THAT(parts[2].values[1], Optional(testing::DoubleNear(6, 1e-9)));
    const auto all = chart_shares(sides, *join(sides), "cpu-clock", 10);
    EXPECT_THAT(std::get<model::Parts>(all.content).parts.back().values[0], Optional(0.0));
}

TEST(ChartShares, ASideWithoutSamplesHasNoShares) {
    auto sides = two_sides();
    for (auto& run : sides[1].runs) {
        run.sampled.clear();
        run.hits.clear();
    }
    const auto figure = chart_shares(sides, *join(sides), "cpu-clock", 2);
    for (const auto& part : std::get<model::Parts>(figure.content).parts) {
        EXPECT_TRUE(part.values[0]);
        EXPECT_FALSE(part.values[1]) << part.label;
    }
}

TEST(ChartTimeBudget, PartsInSecondsWithoutThoseThatNobodyHas) {
    const auto sides = two_sides();
    const auto figure = chart_time_budget(sides, *join(sides));
    EXPECT_EQ(figure.axis, "time of all threads [s] per run");
    const auto& parts = std::get<model::Parts>(figure.content).parts;
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_EQ(parts[0].label, "user");
    EXPECT_THAT(parts[0].values[1], Optional(testing::DoubleEq(18)));
    EXPECT_EQ(parts[1].label, "kernel");
    EXPECT_EQ(parts[2].label, "stolen");  // which is worth saying, also if it is 0
    EXPECT_THAT(parts[2].values[0], Optional(0.0));
}

TEST(ChartTimeBudget, APartThatOneSideDoesNotKnowIsAGap) {
    auto sides = two_sides();
    for (auto& run : sides[1].runs)
        std::erase_if(run.counts,
                      [](const Measurement& each) { return each.name == "time.stopped"; });
    const auto figure = chart_time_budget(sides, *join(sides));
    const auto& part = std::get<model::Parts>(figure.content).parts.back();
    EXPECT_EQ(part.label, "stopped");
    EXPECT_THAT(part.values[0], Optional(0.0));
    EXPECT_FALSE(part.values[1]);
}

TEST(ChartTimeline, RatesOfTheMedianRun) {
    const auto sides = two_sides();
    const auto figure = chart_timeline(sides, *join(sides));
    const auto& strips = std::get<model::Timeline>(figure.content).strips;
    ASSERT_EQ(strips.size(), 2u);
    EXPECT_EQ(strips[0].axis, "stolen by the hypervisor [% of a CPU]");
    EXPECT_EQ(strips[1].axis, "page-faults per second");
    ASSERT_EQ(strips[0].lines.size(), 2u);
    ASSERT_EQ(strips[0].lines[0].size(), 3u);
    EXPECT_NEAR(strips[0].lines[0].back().at_s, 0.27, 1e-9);  // the shorter of two
    EXPECT_NEAR(*strips[0].lines[0][1].value, 50, 1e-6);
    EXPECT_NEAR(*strips[1].lines[0][2].value, 300, 1e-6);
}

TEST(ChartTimeline, NothingWithoutIntervalsAndGapsWhereNothingCounted) {
    auto sides = two_sides();
    for (auto& run : sides[0].runs) run.intervals.clear();
    for (auto& run : sides[1].runs) run.intervals[1].counts[1].state = CounterState::not_scheduled;
    const auto figure = chart_timeline(sides, *join(sides));
    const auto& strips = std::get<model::Timeline>(figure.content).strips;
    ASSERT_EQ(strips.size(), 2u);
    EXPECT_THAT(strips[1].lines[0], IsEmpty());
    EXPECT_FALSE(strips[1].lines[1][1].value);
    EXPECT_TRUE(strips[1].lines[1][2].value);
    for (auto& run : sides[1].runs) run.intervals.clear();
    EXPECT_THAT(std::get<model::Timeline>(chart_timeline(sides, *join(sides)).content).strips,
                IsEmpty());
}

}  // namespace
}  // namespace ringside::compare
