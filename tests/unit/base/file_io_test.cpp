#include "base/file_io.h"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../../scratch.h"

namespace ringside::base {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WholeFile : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = scratch::file("whole");
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    std::string at(const std::string& name) const { return (folder_ / name).string(); }
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& entry : fs::directory_iterator(folder_))
            all.push_back(entry.path().filename());
        std::sort(all.begin(), all.end());
        return all;
    }
    std::string content(const std::string& name) const {
        std::ifstream in(at(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    static unsigned mode_of(const std::string& file) {
        struct stat status {};
        EXPECT_EQ(::lstat(file.c_str(), &status), 0);
        return status.st_mode & 07777;
    }

    fs::path folder_;
};

TEST_F(WholeFile, TakesThePlaceOfWhatWasThere) {
    ASSERT_TRUE(replace_file(at("a"), "first"));
    EXPECT_EQ(mode_of(at("a")), 0644u);
    ASSERT_TRUE(replace_file(at("a"), "second", 0600));
    EXPECT_EQ(content("a"), "second");
    EXPECT_EQ(mode_of(at("a")), 0600u);
    EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(WholeFile, ALinkIsReplacedNotFollowed) {
    ASSERT_TRUE(replace_file(at("target"), "kept"));
    fs::create_symlink("target", at("link"));
    ASSERT_TRUE(replace_file(at("link"), "new"));
    EXPECT_EQ(content("target"), "kept");
    EXPECT_EQ(content("link"), "new");
}

// `record -o /dev/null` by root must not make a file of it.
TEST_F(WholeFile, NeverTakesThePlaceOfADeviceOrAPipe) {
    ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
    fs::create_symlink("/dev/null", at("link"));
    for (const auto* name : {"pipe", "link"}) {
        const auto done = replace_file(at(name), "x");
        ASSERT_FALSE(done) << name;
        EXPECT_EQ(done.error().what,
                  "cannot create " + at(name) + ": a device, a pipe or a folder is there");
    }
    EXPECT_TRUE(fs::is_fifo(at("pipe")));
    EXPECT_TRUE(fs::is_symlink(at("link")));
    EXPECT_THAT(names(), ElementsAre("link", "pipe"));
}

TEST_F(WholeFile, OfTheLongestName) {
    const std::string longest(255, 'n');
    ASSERT_TRUE(replace_file(at(longest), "x"));
    EXPECT_THAT(names(), ElementsAre(longest));
}

TEST_F(WholeFile, LeavesNothingWhereItCannotBe) {
    fs::create_directories(at("folder/inside"));
    const auto done = replace_file(at("folder"), "x");
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().what, HasSubstr("cannot create " + at("folder")));
    EXPECT_THAT(replace_file(at("none/x"), "x").error().what,
                HasSubstr("cannot create " + at("none/x")));
    EXPECT_THAT(names(), ElementsAre("folder"));
}

TEST_F(WholeFile, OnAFullDiskWhatWasThereStays) {
    ASSERT_TRUE(replace_file(at("a"), "first"));
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit little{10, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &little);
    const auto done = replace_file(at("a"), std::string(100, 'x'));
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, handler);
    EXPECT_FALSE(done);
    EXPECT_EQ(content("a"), "first");
    EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(WholeFile, AsANewOneTakesNobodysName) {
    ASSERT_TRUE(replace_file(at("1"), "another's"));
    auto draft = Draft::beside(at("1"), 0644);
    ASSERT_TRUE(draft);
    ASSERT_TRUE(write_all(draft->fd(), "ours", "1"));
    EXPECT_EQ(draft->publish_as_new("1").value(), false);
    EXPECT_EQ(draft->publish_as_new("2").value(), true);
    EXPECT_EQ(content("1"), "another's");
    EXPECT_EQ(content("2"), "ours");
    EXPECT_THAT(names(), ElementsAre("1", "2"));
}

TEST_F(WholeFile, IsGoneIfItIsNotPublished) {
    {
        auto draft = Draft::beside(at("a"), 0600);
        ASSERT_TRUE(draft);
        EXPECT_EQ(names().size(), 1u);
        EXPECT_EQ(mode_of(at(names().front())), 0600u);
        const Draft moved = std::move(*draft);
        EXPECT_EQ(names().size(), 1u);
    }
    EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace ringside::base
