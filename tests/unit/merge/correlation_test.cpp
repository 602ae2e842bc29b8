#include "merge/correlation.h"

#include <gmock/gmock.h>

namespace ringside::merge {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(Correlation, SumsTheProductsAtEachShift) {
    Correlation correlation(8);
    correlation.add({1, 2, 3, 4, 5}, {1, 0, 2});
    auto sums = std::move(correlation).take();
    sums.resize(3);
    EXPECT_THAT(sums, ElementsAre(DoubleNear(7, 1e-9), DoubleNear(10, 1e-9), DoubleNear(13, 1e-9)));
}

TEST(Correlation, AddsUpSeveralPairs) {
    Correlation correlation(4);
    correlation.add({1, 2}, {1});
    correlation.add({10, 20}, {2});
    auto sums = std::move(correlation).take();
    sums.resize(2);
    EXPECT_THAT(sums, ElementsAre(DoubleNear(21, 1e-9), DoubleNear(42, 1e-9)));
}

}  // namespace
}  // namespace ringside::merge
