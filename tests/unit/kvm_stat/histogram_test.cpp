#include "kvm_stat/histogram.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace ringside::kvm_stat {
namespace {

TEST(KvmHistogram, PercentilesAreWithinAThirtySecond) {
    std::mt19937_64 random(7);
    std::vector<std::uint64_t> all;
    Histogram histogram;
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t value = random() >> (random() % 60);
        all.push_back(value);
        histogram.add(value);
    }
    std::sort(all.begin(), all.end());
    for (const double percent : {1.0, 25.0, 50.0, 90.0, 99.0}) {
        const auto exact = static_cast<double>(
            all[static_cast<std::size_t>(percent / 100 * static_cast<double>(all.size())) - 1]);
        const auto got = static_cast<double>(histogram.percentile_ns(percent));
        EXPECT_NEAR(got, exact, exact / 32) << percent;
    }
    EXPECT_EQ(histogram.min_ns(), all.front());
    EXPECT_EQ(histogram.max_ns(), all.back());
}

TEST(KvmHistogram, FewAndSmallValuesAreExact) {
    Histogram histogram;
    EXPECT_EQ(histogram.percentile_ns(50), 0u);
    EXPECT_EQ(histogram.min_ns(), 0u);
    histogram.add(12'345'678);
    EXPECT_EQ(histogram.percentile_ns(50), 12'345'678u);
    EXPECT_EQ(histogram.percentile_ns(99), 12'345'678u);
    Histogram small;
    for (const std::uint64_t value : {3, 1, 2}) small.add(value);
    EXPECT_EQ(small.percentile_ns(50), 2u);
    EXPECT_EQ(small.percentile_ns(1), 1u);
    EXPECT_EQ(small.percentile_ns(99), 3u);
}

TEST(KvmHistogram, TheSumOfTwoIsThatOfAllValues) {
    Histogram whole;
    Histogram low;
    Histogram high;
    for (std::uint64_t value = 1; value <= 1000; ++value) {
        whole.add(value * value);
        (value <= 500 ? low : high).add(value * value);
    }
    low.add(high);
    EXPECT_EQ(low.count(), whole.count());
    EXPECT_EQ(low.total_ns(), whole.total_ns());
    EXPECT_EQ(low.percentile_ns(75), whole.percentile_ns(75));
    EXPECT_EQ(low.max_ns(), 1'000'000u);
    EXPECT_EQ(low.min_ns(), 1u);
}

TEST(KvmHistogram, TheLongestTimeOfAllFits) {
    Histogram histogram;
    histogram.add(UINT64_MAX);
    EXPECT_EQ(histogram.percentile_ns(50), UINT64_MAX);
}

}  // namespace
}  // namespace ringside::kvm_stat
