#include "guest/kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::guest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Kinds, ThoseThatCanBeBooted) {
    std::vector<std::string> names;
    for (const auto* kind : KindTable::built_in().bootable()) names.push_back(kind->name);
    EXPECT_THAT(names, ElementsAre("x86-guest", "x86-soft", "arm64-soft", "arm64-pmu", "arm64-hyp",
                                   "arm64-hyp-rt", "arm64-kvm", "x86-kvm"));
}

TEST(Kinds, EachSaysAllThatABootNeeds) {
    for (const auto* kind : KindTable::built_in().bootable()) {
        for (const auto* one : {kind, KindTable::built_in().find(kind->inner)}) {
            if (one == nullptr) continue;
            EXPECT_FALSE(one->about.empty()) << one->name;
            EXPECT_FALSE(one->qemu.empty()) << one->name;
            EXPECT_FALSE(one->machine.empty()) << one->name;
            EXPECT_FALSE(one->cpu.empty()) << one->name;
            EXPECT_FALSE(one->console.empty()) << one->name;
            EXPECT_FALSE(one->kernel_packages.empty()) << one->name;
        }
    }
}

TEST(Kinds, ParsesTheFormat) {
    const auto table = KindTable::parse(
        "# remark\n\n[one]\n about = words = more\nsmp=3\nmodules = a  b\nicount = 0\ninner = "
        "two\n[two]\n");
    ASSERT_TRUE(table.has_value());
    const Kind* one = table->find("one");
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(one->about, "words = more");
    EXPECT_EQ(one->smp, 3);
    EXPECT_THAT(one->modules, ElementsAre("a", "b"));
    EXPECT_EQ(one->icount, 0);
    EXPECT_TRUE(one->is_deterministic());
    EXPECT_FALSE(table->find("two")->is_deterministic());
    EXPECT_EQ(table->bootable().size(), 1u);
}

TEST(Kinds, BadLinesAreNamed) {
    for (const auto* bad : {"smp = 2\n", "[a]\nsmp = none\n", "[a]\nsmp = 0\n",
                            "[a]\ncolour = red\n", "[a]\nword\n", "[]\n", "[a]\nicount = 99\n"}) {
        const auto table = KindTable::parse(bad);
        ASSERT_FALSE(table.has_value()) << bad;
        EXPECT_THAT(table.error().what, HasSubstr("line")) << bad;
    }
    EXPECT_FALSE(KindTable::parse("[a]\ninner = nowhere\n").has_value());
}

}  // namespace
}  // namespace ringside::guest
