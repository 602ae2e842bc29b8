#include "analysis/statistics.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace ringside::analysis {
namespace {

TEST(Statistics, MeanSpreadAndConfidence) {
    // Deviation sqrt(10 / 4); t for 4 degrees of freedom is 2.776.
    const std::array<double, 5> values{1, 2, 3, 4, 5};
    const Summary summary = summarize(values);
    EXPECT_EQ(summary.count, 5u);
    EXPECT_DOUBLE_EQ(summary.mean, 3);
    EXPECT_NEAR(summary.deviation, 1.5811388, 1e-7);
    EXPECT_NEAR(summary.confidence, 2.776 * 1.5811388 / 2.2360680, 1e-6);
    EXPECT_EQ(summary.least, 1);
    EXPECT_EQ(summary.most, 5);
}

TEST(Statistics, OneValueHasNoSpread) {
    const std::array<double, 1> values{7};
    const Summary summary = summarize(values);
    EXPECT_EQ(summary.mean, 7);
    EXPECT_EQ(summary.deviation, 0);
    EXPECT_EQ(summary.confidence, 0);
}

TEST(Statistics, ManyValuesComeNearTheNormalDistribution) {
    std::vector<double> values;
    for (int i = 0; i < 121; ++i) values.push_back(i % 2);
    const Summary summary = summarize(values);
    // Student's t for 120 degrees of freedom is 1.9799.
    EXPECT_NEAR(summary.confidence * 11 / summary.deviation, 1.9799, 0.001);
}

}  // namespace
}  // namespace ringside::analysis
