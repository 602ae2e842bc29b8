#include "softpmu/models.h"

#include <memory>

#include <gtest/gtest.h>

namespace ringside::softpmu {
namespace {

TEST(BranchPredictor, LearnsALoop) {
    BranchPredictor predictor;
    const auto place = BranchPredictor::place_of(0x400100);
    int misses = 0;
    for (int i = 0; i < 1000; ++i) misses += predictor.misses(place, true);
    EXPECT_EQ(misses, 2) << "two to learn";
    EXPECT_TRUE(predictor.misses(place, false));
    EXPECT_FALSE(predictor.misses(place, true)) << "one exception does not unlearn it";
}

TEST(BranchPredictor, CannotFollowAnAlternation) {
    BranchPredictor predictor;
    const auto place = BranchPredictor::place_of(0x400100);
    int misses = 0;
    for (int i = 0; i < 1000; ++i) misses += predictor.misses(place, i % 2 == 0);
    EXPECT_EQ(misses, 500);
}

TEST(BranchPredictor, AGuessThatWasNotConfirmedTurnsAtOnce) {
    BranchPredictor predictor;
    const auto place = BranchPredictor::place_of(0x400100);
    predictor.misses(place, true);
    predictor.misses(place, true);
    for (const bool taken : {false, true, false, true}) {
        EXPECT_TRUE(predictor.misses(place, taken)) << "one step back and forth";
    }
}

TEST(BranchPredictor, NeighboursDoNotDisturbEachOther) {
    BranchPredictor predictor;
    const auto place = BranchPredictor::place_of(0x400100);
    const auto neighbour = BranchPredictor::place_of(0x400102);
    int misses = 0;
    for (int i = 0; i < 1000; ++i) {
        misses += predictor.misses(place, true);
        misses += predictor.misses(neighbour, false);
    }
    EXPECT_EQ(misses, 2) << "two to learn the one, none for the other";
}

TEST(CacheModel, HoldsItsSizeAndNoMore) {
    const auto model = std::make_unique<MemoryModel>();
    constexpr std::uint64_t size = 32 << 10;
    const auto pass = [&](std::uint64_t bytes) {
        int misses = 0;
        for (std::uint64_t at = 0; at < bytes; at += 64) misses += model->level_1.misses(at);
        return misses;
    };
    EXPECT_EQ(pass(size), 512) << "cold";
    EXPECT_EQ(pass(size), 0) << "it all fits";
    EXPECT_EQ(pass(2 * size), 512) << "the second half is new";
    EXPECT_EQ(pass(2 * size), 1024) << "the oldest goes first, so nothing is ever there";
}

TEST(CacheModel, AWayMoreThanASetHas) {
    CacheModel<64, 8, 6> cache;
    constexpr std::uint64_t same_set = 64 * 64;
    for (std::uint64_t way = 0; way < 8; ++way) EXPECT_TRUE(cache.misses(way * same_set));
    EXPECT_FALSE(cache.misses(0));
    EXPECT_TRUE(cache.misses(8 * same_set));
    EXPECT_FALSE(cache.misses(0)) << "used just now";
    EXPECT_TRUE(cache.misses(1 * same_set)) << "the least recently used";
}

TEST(CacheModel, ALineIsOneMiss) {
    CacheModel<64, 8, 6> cache;
    EXPECT_TRUE(cache.misses(0x1000));
    for (std::uint64_t at = 0x1001; at < 0x1040; ++at) EXPECT_FALSE(cache.misses(at));
    EXPECT_TRUE(cache.misses(0x1040));
}

TEST(CacheModel, TheHighestAddressIsNoEmptyWay) {
    CacheModel<16, 4, 12> pages;
    EXPECT_TRUE(pages.misses(~std::uint64_t{0}));
    EXPECT_FALSE(pages.misses(~std::uint64_t{0}));
    EXPECT_TRUE(pages.misses(0));
}

TEST(TranslationModel, SixtyFourPages) {
    CacheModel<16, 4, 12> pages;
    int misses = 0;
    for (int round = 0; round < 2; ++round) {
        for (std::uint64_t page = 0; page < 64; ++page) misses += pages.misses(page << 12);
    }
    EXPECT_EQ(misses, 64);
}

}  // namespace
}  // namespace ringside::softpmu
