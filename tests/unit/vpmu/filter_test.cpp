#include "vpmu/filter.h"

#include <gtest/gtest.h>

namespace ringside::vpmu {
namespace {

TEST(Filter, AnEmptyOnePermitsEverything) {
    const Filter filter;
    EXPECT_TRUE(filter.permits({0xc0, 0}));
    EXPECT_TRUE(filter.permits_fixed(2));
    EXPECT_TRUE(filter.denies_nothing());
}

TEST(Filter, DenyAndAllowAreOpposites) {
    const FilterEntry branches{.select = 0xc4, .umask_mask = 0xff, .umask_match = 0x00};
    Filter filter;
    EXPECT_TRUE(filter.deny(&branches, 1, 0b010));
    EXPECT_FALSE(filter.permits({0xc4, 0x00}));
    EXPECT_TRUE(filter.permits({0xc4, 0x01}));
    EXPECT_FALSE(filter.permits_fixed(1));
    EXPECT_TRUE(filter.allow(&branches, 1, 0b010));
    EXPECT_TRUE(filter.permits({0xc4, 0x00}));
    EXPECT_FALSE(filter.permits({0xc4, 0x01}));
    EXPECT_FALSE(filter.permits({0xc0, 0x00}));
    EXPECT_TRUE(filter.permits_fixed(1));
    EXPECT_FALSE(filter.permits_fixed(0));
    EXPECT_EQ(filter.generation(), 2u);
}

TEST(Filter, AnExcludingEntryTakesBack) {
    const FilterEntry entries[] = {
        {.select = 0x2e},
        {.select = 0x2e, .umask_mask = 0xf0, .umask_match = 0x40, .excludes = true}};
    Filter filter;
    EXPECT_TRUE(filter.allow(entries, 2));
    EXPECT_TRUE(filter.permits({0x2e, 0x01}));
    EXPECT_FALSE(filter.permits({0x2e, 0x41}));
}

TEST(Filter, TooLongAListIsRefusedWhole) {
    static const FilterEntry many[Filter::max_entries + 1] = {};
    Filter filter;
    EXPECT_FALSE(filter.allow(many, Filter::max_entries + 1));
    EXPECT_TRUE(filter.denies_nothing());
    EXPECT_EQ(filter.generation(), 0u);
}

}  // namespace
}  // namespace ringside::vpmu
