#include "compare/ratio.h"

#include <cmath>

#include <gmock/gmock.h>

#include "compare/student.h"

namespace ringside::compare {
namespace {

// Of tables of Student's t.
TEST(Student, MatchesTables) {
    EXPECT_NEAR(student_quantile(0.05, 1), 12.7062, 1e-3);
    EXPECT_NEAR(student_quantile(0.05, 4), 2.77645, 1e-4);
    EXPECT_NEAR(student_quantile(0.01, 10), 3.16927, 1e-4);
    EXPECT_NEAR(student_quantile(0.05, 1e6), 1.95996, 1e-4);
    EXPECT_NEAR(student_two_sided(2.22814, 10), 0.05, 1e-5);
    EXPECT_NEAR(student_two_sided(1, 1), 0.5, 1e-9);
    EXPECT_NEAR(student_two_sided(0, 7), 1, 1e-12);
}

// With logarithms 0, 1, 2 and 3, 4, 5 everything can be worked out by hand: the difference is 3,
// its error sqrt(1/3 + 1/3), the degrees of freedom 4.
TEST(RatioOf, KnownValues) {
    const std::vector<double> first{1, std::exp(1), std::exp(2)};
    const std::vector<double> second{std::exp(3), std::exp(4), std::exp(5)};
    const Ratio ratio = ratio_of(first, second, 0);
    ASSERT_TRUE(ratio.ratio && ratio.ci_low && ratio.ci_high && ratio.p);
    const double error = std::sqrt(2.0 / 3);
    EXPECT_NEAR(*ratio.ratio, std::exp(3), 1e-9);
    EXPECT_NEAR(*ratio.ci_low, std::exp(3 - 2.776445 * error), 1e-4);
    EXPECT_NEAR(*ratio.ci_high, std::exp(3 + 2.776445 * error), 1e-2);
    EXPECT_NEAR(*ratio.p, student_two_sided(3 / error, 4), 1e-12);
    EXPECT_NEAR(*ratio.p, 0.0213, 1e-4);
}

TEST(RatioOf, DegreesOfFreedomAreSatterthwaites) {
    // One side hardly varies, so the other's 2 degrees decide.
    const std::vector<double> first{100, 100.0001, 99.9999};
    const std::vector<double> second{90, 110, 120};
    const Ratio ratio = ratio_of(first, second, 0);
    const double spread = std::log(*ratio.ci_high / *ratio.ratio);
    double mean = 0;
    for (const double v : second) mean += std::log(v) / 3;
    double variance = 0;
    for (const double v : second) variance += std::pow(std::log(v) - mean, 2) / 2;
    EXPECT_NEAR(spread, 4.302653 * std::sqrt(variance / 3), 1e-4);
}

TEST(RatioOf, RepeatsThatAgreeExactlyAreKnownToAStep) {
    const std::vector<double> same{1000, 1000, 1000};
    const Ratio equal = ratio_of(same, same, 1);
    EXPECT_DOUBLE_EQ(*equal.ratio, 1);
    EXPECT_DOUBLE_EQ(*equal.p, 1);
    const Ratio twice = ratio_of(same, std::vector<double>{2000, 2000, 2000}, 1);
    EXPECT_NEAR(*twice.ratio, 2, 1e-12);
    EXPECT_LT(*twice.p, 1e-6);
    EXPECT_LT(*twice.ci_low, 2);
    // 3 samples against 4 in every run, each sample one step: that is hardly a difference.
    const Ratio few = ratio_of(std::vector<double>{3, 3}, std::vector<double>{4, 4}, 1);
    EXPECT_GT(*few.p, 0.01);
}

TEST(RatioOf, OneRunHasARatioAndNothingMore) {
    const Ratio ratio = ratio_of(std::vector<double>{2}, std::vector<double>{3, 3}, 1);
    EXPECT_DOUBLE_EQ(*ratio.ratio, 1.5);
    EXPECT_FALSE(ratio.ci_low || ratio.p || ratio.significant);
}

TEST(RatioOf, ZerosHaveNoLogarithmButADifference) {
    const std::vector<double> none{0, 0, 0};
    const std::vector<double> some{100, 101, 102};
    const Ratio appears = ratio_of(none, some, 1);
    EXPECT_FALSE(appears.ratio);
    EXPECT_LT(*appears.p, 0.001);
    const Ratio vanishes = ratio_of(some, none, 1);
    EXPECT_DOUBLE_EQ(*vanishes.ratio, 0);
    EXPECT_FALSE(vanishes.ci_low);
    const Ratio sometimes = ratio_of(some, std::vector<double>{0, 200, 250}, 1);
    EXPECT_NEAR(*sometimes.ratio, 150.0 / 101, 1e-9);
    EXPECT_TRUE(sometimes.ci_low);
}

// The example of Benjamini and Hochberg's paper (1995, section 3.2): of 15 hypotheses the first
// four are rejected at 5 %.
TEST(AdjustForMany, ThePapersOwnExample) {
    std::vector<Ratio> ratios;
    for (const double p : {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459,
                           0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000}) {
        ratios.emplace_back().p = p;
    }
    std::vector<Ratio*> all;
    for (auto& ratio : ratios) all.push_back(&ratio);
    adjust_for_many(all);
    for (std::size_t i = 0; i < ratios.size(); ++i) EXPECT_EQ(*ratios[i].significant, i < 4) << i;
    EXPECT_NEAR(*ratios[3].p_adjusted, 0.0095 * 15 / 4, 1e-12);
}

TEST(AdjustForMany, WhatWasNotTestedIsNotJudged) {
    Ratio untested;
    Ratio tested;
    tested.p = 0.001;
    std::vector<Ratio*> all{&untested, &tested};
    adjust_for_many(all);
    EXPECT_FALSE(untested.significant);
    EXPECT_TRUE(*tested.significant);
}

}  // namespace
}  // namespace ringside::compare
