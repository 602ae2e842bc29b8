#include "base/sys_root.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ringside::base {
namespace {

class SysRootTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "rs_rootXXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        tree_ = pattern;
        std::filesystem::create_directories(tree_ + "/proc/b");
        std::ofstream(tree_ + "/proc/stat") << "cpu 1 2\n\n";
        std::filesystem::create_symlink("../x", tree_ + "/proc/link");
    }
    void TearDown() override { std::filesystem::remove_all(tree_); }

    std::string tree_;
};

TEST_F(SysRootTest, ReadsBelowItsPrefix) {
    const SysRoot root(tree_ + "/");
    EXPECT_FALSE(root.is_live());
    EXPECT_EQ(*root.read("/proc/stat"), "cpu 1 2\n\n");
    EXPECT_EQ(*root.read_trimmed("/proc/stat"), "cpu 1 2");
    EXPECT_EQ(*root.read_link("/proc/link"), "../x");
    EXPECT_THAT(*root.list("/proc"), ::testing::ElementsAre("b", "link", "stat"));
    EXPECT_TRUE(root.exists("/proc/stat"));
    EXPECT_FALSE(root.exists("/proc/none"));
}

TEST_F(SysRootTest, CutsAtTheLimit) {
    EXPECT_EQ(*SysRoot(tree_).read("/proc/stat", 3), "cpu");
}

TEST_F(SysRootTest, AMissingFileNamesItsPath) {
    const auto text = SysRoot(tree_).read("/proc/none");
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, ErrorCode::not_found);
    EXPECT_NE(text.error().what.find("/proc/none"), std::string::npos);
}

TEST_F(SysRootTest, ADirectoryIsNotAFile) {
    EXPECT_FALSE(SysRoot(tree_).read("/proc/b"));
    EXPECT_FALSE(SysRoot(tree_).list("/proc/stat"));
}

TEST(SysRootLive, ReadsTheMachine) {
    const SysRoot root;
    EXPECT_TRUE(root.is_live());
    EXPECT_NE(root.read("/proc/stat")->find("cpu"), std::string::npos);
}

}  // namespace
}  // namespace ringside::base
