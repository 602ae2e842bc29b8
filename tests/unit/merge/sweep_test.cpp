#include "merge/sweep.h"

#include <gtest/gtest.h>

namespace ringside::merge {
namespace {

TEST(Sweep, FindsTheMoveThatCoversMost) {
    const std::vector<std::uint64_t> times{1000, 2000, 3000};
    const std::vector<Span> runs{{1100, 1200}, {2150, 2300}, {3120, 3400}};
    const std::vector<CpuPair> pairs{{times, runs}};
    const auto move = best_move({}, pairs, {0, 5000}, 500);
    EXPECT_EQ(move.covered, 3u);
    EXPECT_EQ(move.samples, 3u);
    EXPECT_DOUBLE_EQ(move.low_ns, 150);
    EXPECT_DOUBLE_EQ(move.high_ns, 200);
}

TEST(Sweep, LooksAtItsWindowAlone) {
    const std::vector<std::uint64_t> times{1000, 9000};
    const std::vector<Span> runs{{1010, 1020}};
    const std::vector<CpuPair> pairs{{times, runs}};
    EXPECT_EQ(best_move({}, pairs, {0, 5000}, 100).samples, 1u);
}

TEST(Sweep, OfEqualMovesTheNearestIsTaken) {
    const std::vector<std::uint64_t> times{1000};
    const std::vector<Span> runs{{600, 700}, {1050, 1060}, {1400, 1450}};
    const std::vector<CpuPair> pairs{{times, runs}};
    EXPECT_DOUBLE_EQ(best_move({}, pairs, {0, 5000}, 900).low_ns, 50);
}

TEST(Sweep, NoRunsCoverNothing) {
    const std::vector<std::uint64_t> times{1000};
    const std::vector<CpuPair> pairs{{times, {}}};
    const auto move = best_move({}, pairs, {0, 5000}, 900);
    EXPECT_EQ(move.covered, 0u);
    EXPECT_EQ(move.samples, 1u);
}

}  // namespace
}  // namespace ringside::merge
