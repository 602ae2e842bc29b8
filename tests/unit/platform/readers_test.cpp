#include "platform/readers.h"

#include <gtest/gtest.h>

#include "temp_tree.h"

namespace ringside::platform {
namespace {

TEST(Readers, EvidenceIsSafeToPrint) {
    EXPECT_EQ(shown("a\x1b[31m\n\xff"), "a?[31m??");
    EXPECT_EQ(shown(std::string(200, 'x')), std::string(160, 'x') + "...");
    EXPECT_TRUE(printable("a\tb"));
    EXPECT_FALSE(printable("a\nb"));
}

TEST(Readers, ANumberMustFit) {
    TempTree tree;
    tree.put("/a", "-1\n").put("/b", "99999999999\n").put("/c", "x\n").put("/d", "\n");
    EXPECT_EQ(read_int(tree.root(), "/a").value, -1);
    for (const std::string path : {"/b", "/c", "/d", "/none"}) {
        const auto fact = read_int(tree.root(), path);
        EXPECT_FALSE(fact.value) << path;
        EXPECT_EQ(fact.evidence.source, path);
        EXPECT_FALSE(fact.evidence.text.empty()) << path;
    }
}

TEST(Readers, ASwitchIsYesOrNoInTwoSpellings) {
    TempTree tree;
    tree.put("/y", "Y\n").put("/one", "1\n").put("/n", "N\n").put("/zero", "0\n").put("/x", "2\n");
    EXPECT_EQ(read_switch(tree.root(), "/y").value, true);
    EXPECT_EQ(read_switch(tree.root(), "/one").value, true);
    EXPECT_EQ(read_switch(tree.root(), "/n").value, false);
    EXPECT_EQ(read_switch(tree.root(), "/zero").value, false);
    EXPECT_FALSE(read_switch(tree.root(), "/x").value);
}

}  // namespace
}  // namespace ringside::platform
