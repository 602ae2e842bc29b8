#include "analysis/flame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::analysis {
namespace {

using model::FrameKind;
using ::testing::ElementsAre;

// main calls f and g.
model::StackTree stacks(double f, double g) {
    model::StackTree tree;
    tree.event = "cpu-clock";
    tree.unit = "ns";
    tree.frames = {{"main", "app", FrameKind::user},
                   {"f", "app", FrameKind::user},
                   {"g", "app", FrameKind::user}};
    tree.nodes = {{0, 0, 0}, {0, 0, 0}, {1, 1, f}, {1, 2, g}};
    return tree;
}

// The same names under other numbers.
model::StackTree turned(double f, double g) {
    model::StackTree tree = stacks(0, 0);
    std::swap(tree.frames[0], tree.frames[2]);
    tree.nodes = {{0, 0, 0}, {0, 2, 0}, {1, 0, g}, {1, 1, f}};
    return tree;
}

std::vector<double> totals_of(const model::FlameFigure& figure, const std::string& name) {
    for (std::size_t i = 1; i < figure.nodes.size(); ++i) {
        const auto& node = figure.nodes[i];
        if (figure.frames[node.frame].name == name) return node.totals;
    }
    return {};
}

TEST(FlameJoin, JoinsByNameAndAddsUp) {
    FlameJoin join({"native", "vm"});
    join.add(0, stacks(3, 1));
    join.add(1, turned(2, 6), 0.5);
    join.add(1, turned(2, 6), 0.5);
    const auto figure = join.figure(100);
    EXPECT_EQ(figure.event, "cpu-clock");
    EXPECT_EQ(figure.nodes.size(), 4u);
    EXPECT_THAT(totals_of(figure, "main"), ElementsAre(4, 8));
    EXPECT_THAT(totals_of(figure, "f"), ElementsAre(3, 2));
    EXPECT_THAT(totals_of(figure, "g"), ElementsAre(1, 6));
    EXPECT_EQ(figure.left_out, 0u);
}

TEST(FlameJoin, KeepsTheHeaviestAndSaysWhatIsLeftOut) {
    FlameJoin join({"native", "vm"});
    join.add(0, stacks(99, 1));
    join.add(1, stacks(98, 2));
    const auto figure = join.figure(2);
    EXPECT_EQ(figure.nodes.size(), 3u);
    EXPECT_THAT(totals_of(figure, "g"), ElementsAre());
    EXPECT_THAT(totals_of(figure, "main"), ElementsAre(100, 100));
    EXPECT_EQ(figure.left_out, 1u);
    EXPECT_DOUBLE_EQ(figure.left_out_share, 0.02);
}

TEST(FlameJoin, NothingAddedIsARootAlone) {
    const auto figure = FlameJoin({"native"}).figure(10);
    ASSERT_EQ(figure.nodes.size(), 1u);
    EXPECT_EQ(figure.share(0, 0), 0);
}

}  // namespace
}  // namespace ringside::analysis
