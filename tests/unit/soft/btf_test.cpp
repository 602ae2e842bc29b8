// Offsets by type information, good and forged.
#include "soft/btf.h"

#include <gtest/gtest.h>

#include "made_btf.h"

namespace ringside::soft {
namespace {

std::string made() {
    MadeBtf btf;
    const auto number = btf.add_int("int");
    const auto path = btf.add_struct("path", {{"mnt", number, 0}, {"dentry", number, 64}});
    const auto either = btf.add_union({{"left", number, 0}, {"right", path, 32}});
    btf.add_struct(
        "file", {{"f_mode", number, 0}, {"f_path", btf.add_const(path), 128}, {"", either, 256}});
    // A field of 3 bits, and behind it a whole number.
    btf.add_struct("flags", {{"bits", number, 3u << 24 | 5}, {"whole", number, 32}}, true);
    return btf.bytes();
}

TEST(Btf, FindsMembersAndMembersOfMembers) {
    const auto btf = Btf::parse(made());
    ASSERT_TRUE(btf) << btf.error().what;
    EXPECT_EQ(btf->offset("path", "dentry"), 8u);
    EXPECT_EQ(btf->offset("file", "f_path"), 16u);
    EXPECT_EQ(btf->offset("file", "f_path.dentry"), 24u) << "through a const";
    EXPECT_EQ(btf->offset("file", "right.dentry"), 32u + 4 + 8) << "of an unnamed union";
    EXPECT_EQ(btf->offset("flags", "whole"), 4u);
}

TEST(Btf, HasNothingForWhatIsNotThere) {
    const auto btf = Btf::parse(made());
    ASSERT_TRUE(btf);
    EXPECT_EQ(btf->offset("flags", "bits"), std::nullopt) << "has no offset in bytes";
    EXPECT_EQ(btf->offset("file", "f_path.mount"), std::nullopt);
    EXPECT_EQ(btf->offset("file", "f_mode.more"), std::nullopt) << "a number has no members";
    EXPECT_EQ(btf->offset("file", ""), std::nullopt);
    EXPECT_EQ(btf->offset("int", "x"), std::nullopt);
    EXPECT_EQ(btf->offset("nothing", "x"), std::nullopt);
}

TEST(Btf, RefusesWhatIsCut) {
    const std::string whole = made();
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
        EXPECT_FALSE(Btf::parse(whole.substr(0, bytes))) << bytes;
    }
    EXPECT_FALSE(Btf::parse("x" + whole));
    std::string unknown_kind = whole;
    unknown_kind[24 + 7] = 31;
    EXPECT_FALSE(Btf::parse(unknown_kind));
}

// Types that contain themselves end the search, and nothing else.
TEST(Btf, ComesBackFromCircles) {
    MadeBtf btf;
    btf.add("", 10, 0, 1, {});  // const, of itself
    btf.add_struct("loop", {{"", 2, 0}, {"end", 1, 64}});
    const auto parsed = Btf::parse(btf.bytes());
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->offset("loop", "missing"), std::nullopt);
    EXPECT_EQ(parsed->offset("loop", "end.x"), std::nullopt);
}

}  // namespace
}  // namespace ringside::soft
