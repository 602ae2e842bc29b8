#include "compare/flames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/timeline.h"

namespace ringside::compare {
namespace {

using model::FrameKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Side side_with(const std::string& name, const std::string& symbol, std::vector<double> weights) {
    Side side;
    side.name = name;
    for (const double weight : weights) {
        model::StackTree tree;
        tree.event = "cpu-clock:ppp";
        tree.unit = "ns";
        tree.frames = {{symbol, "libc.so.6", FrameKind::user}};
        tree.nodes = {{0, 0, 0}, {0, 0, weight}};
        side.runs.emplace_back().stacks.push_back(std::move(tree));
    }
    return side;
}

TEST(Flames, VariantsJoinAndRunsAreAveraged) {
    const auto figures = join_flames({side_with("native", "__memcpy_avx_unaligned_erms", {10, 20}),
                                      side_with("vm", "__memmove_sse2_unaligned_erms", {40})},
                                     100);
    ASSERT_THAT(figures, SizeIs(1));
    EXPECT_EQ(figures[0].event, "cpu-clock");
    EXPECT_THAT(figures[0].series, ElementsAre("native", "vm"));
    ASSERT_THAT(figures[0].nodes, SizeIs(2));
    EXPECT_EQ(figures[0].frames[figures[0].nodes[1].frame].name, "memcpy");
    EXPECT_THAT(figures[0].nodes[1].totals, ElementsAre(15, 40));
}

TEST(Flames, SidesWithoutStacksHaveNone) {
    Side side;
    side.runs.emplace_back();
    EXPECT_THAT(join_flames({side}, 100), IsEmpty());
}

Side side_over_time(const std::string& name, double stolen_ns) {
    Side side;
    side.name = name;
    auto& timeline = side.runs.emplace_back().timeline;
    timeline.series = {"time.user", "time.stolen", "page-faults", "major-faults"};
    timeline.moments = {{1e9, {1e9 - stolen_ns, stolen_ns, 100, 0}},
                        {2e9, {2e9 - stolen_ns, stolen_ns, 300, 0}}};
    return side;
}

TEST(TimelineChart, ShowsRatesBetweenReadings) {
    const auto figure = chart_timeline({side_over_time("native", 0), side_over_time("vm", 4e8)});
    // Threads and page faults of each; major faults never happened.
    ASSERT_THAT(figure.panels, SizeIs(4));
    const auto& threads = figure.panels[1];
    EXPECT_EQ(threads.label, "vm: threads");
    ASSERT_THAT(threads.steps, SizeIs(2));
    EXPECT_DOUBLE_EQ(threads.steps[0].values[0], 0.6);
    EXPECT_DOUBLE_EQ(threads.steps[0].values[2], 0.4);
    EXPECT_DOUBLE_EQ(threads.steps[1].values[2], 0);
    EXPECT_DOUBLE_EQ(figure.panels[2].steps[1].values[0], 200);
    EXPECT_EQ(figure.panels[0].most, figure.panels[1].most);
}

TEST(TimelineChart, WithoutReadingsThereIsNothing) {
    Side side;
    side.runs.emplace_back();
    EXPECT_THAT(chart_timeline({side}).panels, IsEmpty());
}

}  // namespace
}  // namespace ringside::compare
