#include "run/stacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::run {
namespace {

using model::FrameKind;
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

}  // namespace
}  // namespace ringside::run
