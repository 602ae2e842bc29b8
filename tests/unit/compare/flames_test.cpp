#include "compare/flames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::compare {
namespace {

using model::FrameKind;
using run::Side;
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

}  // namespace
}  // namespace ringside::compare
