// Files of a measured run that are not the output of a verb.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/stacks_file.h"
#include "cli/timeline_file.h"

namespace ringside::cli {
namespace {

using model::FrameKind;
using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(StacksFile, ComesBackAsItWas) {
    model::StackTree tree;
    tree.event = "cpu-clock";
    tree.unit = "ns";
    tree.frames = {{"app", "", FrameKind::thread},
                   {"f<\"x\">", "[kernel]", FrameKind::guest_kernel}};
    tree.nodes = {{0, 0, 0}, {0, 0, 1}, {1, 1, 2.5}};
    const auto back = parse_stacks(stacks_json({tree}));
    ASSERT_TRUE(back);
    ASSERT_THAT(*back, SizeIs(1));
    EXPECT_EQ(back->front().event, "cpu-clock");
    EXPECT_EQ(back->front().unit, "ns");
    EXPECT_EQ(back->front().frames, tree.frames);
    ASSERT_THAT(back->front().nodes, SizeIs(3));
    EXPECT_EQ(back->front().nodes[2].parent, 1u);
    EXPECT_EQ(back->front().nodes[2].frame, 1u);
    EXPECT_EQ(back->front().nodes[2].self, 2.5);
}

TEST(StacksFile, WhatIsNoTreeIsRefused) {
    const auto with_nodes = [](const std::string& nodes) {
        return R"({"schema": "ringside.stacks/1", "trees": [{"event": "e", "unit": "", "frames": )"
               R"([["f", "m", "user"]], "nodes": )" +
               nodes + "}]}";
    };
    EXPECT_TRUE(parse_stacks(with_nodes("[[0, 0, 0], [0, 0, 1]]")));
    for (const char* nodes :
         {"[]", "[[0, 0, 0], [1, 0, 1]]", "[[0, 0, 0], [0, 1, 1]]", "[[0, 0, 0], [0, 0, -1]]",
          "[[1, 0, 0]]", "[[0]]", "[\"x\"]", "7", "[[0, 0, null]]"}) {
        EXPECT_FALSE(parse_stacks(with_nodes(nodes))) << nodes;
    }
    for (const char* text :
         {"", "{}", "[]", "{\"schema\": 7}", "{\"schema\": \"ringside.stacks/1\"}"})
        EXPECT_FALSE(parse_stacks(text)) << text;
}

TimeReport time_at(std::uint64_t wall) {
    TimeSplit split;
    split.clock.real_ns = wall;
    return split;
}

analysis::StatRows faults(double value) {
    analysis::StatRow row;
    row.name = "page-faults";
    row.value = value;
    return {row};
}

TEST(TimelineFile, ComesBackAsItWas) {
    model::Timeline timeline;
    add_moment(timeline, time_at(100), faults(3));
    add_moment(timeline, time_at(200), faults(8));
    const auto back = parse_timeline(timeline_json(timeline));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->series, timeline.series);
    EXPECT_EQ(back->series.back(), "page-faults");
    ASSERT_THAT(back->moments, SizeIs(2));
    EXPECT_EQ(back->moments[1].at_ns, 200);
    EXPECT_EQ(back->moments[1].values.back(), 8);
}

TEST(TimelineFile, WhatCannotBeReadStaysWhatItWas) {
    model::Timeline timeline;
    add_moment(timeline, time_at(100), faults(3));
    add_moment(timeline, time_at(200), {});
    EXPECT_EQ(timeline.moments[1].values.back(), 3);
}

TEST(TimelineFile, ALongRunTakesNoMoreRoom) {
    model::Timeline timeline;
    for (std::uint64_t i = 1; i <= 10000; ++i) add_moment(timeline, time_at(i), faults(0));
    EXPECT_LT(timeline.moments.size(), 400u);
    EXPECT_GE(timeline.moments.size(), 100u);
    for (std::size_t i = 1; i < timeline.moments.size(); ++i)
        EXPECT_LT(timeline.moments[i - 1].at_ns, timeline.moments[i].at_ns);
}

TEST(TimelineFile, DamageIsRefused) {
    for (
        const char* text :
        {"", "[]", R"({"schema": "ringside.timeline/1", "series": 7, "moments": []})",
         R"({"schema": "ringside.timeline/1", "series": ["a"], "moments": [{"at_ns": 1, "values": []}]})"})
        EXPECT_FALSE(parse_timeline(text)) << text;
}

}  // namespace
}  // namespace ringside::cli
