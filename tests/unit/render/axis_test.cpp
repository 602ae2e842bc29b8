#include "render/axis.h"

#include <gmock/gmock.h>

namespace ringside::render {
namespace {

using testing::ElementsAre;

TEST(AxisFor, StepsOfOneTwoOrFive) {
    EXPECT_THAT(axis_for(10).ticks(), ElementsAre(0, 2, 4, 6, 8, 10));
    EXPECT_DOUBLE_EQ(axis_for(11).step, 5);
    EXPECT_DOUBLE_EQ(axis_for(11).end, 15);
    EXPECT_DOUBLE_EQ(axis_for(0.0123).step, 0.005);
    EXPECT_EQ(axis_for(0.0123).label(0.005), "0.005");
    EXPECT_EQ(axis_for(1.2e6).label(500000), "500k");
    EXPECT_EQ(axis_for(2.4e7).label(5e6), "5M");
    EXPECT_EQ(axis_for(0.4).label(0), "0.0");
    EXPECT_THAT(axis_for(10, 3).ticks(), ElementsAre(0, 5, 10));
    for (const double most : {0.0, -1.0, 1e-300, 1e300}) {
        const Axis axis = axis_for(most);
        EXPECT_GE(axis.end, most);
        EXPECT_GE(axis.ticks().size(), 2u);
        EXPECT_LE(axis.ticks().size(), 7u);
    }
}

}  // namespace
}  // namespace ringside::render
