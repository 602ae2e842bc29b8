#include "guest/retrieve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace ringside::guest {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Retrieve : public ::testing::Test {
  protected:
    Retrieve() : temporary_(std::move(*TempDir::make("ringside-retrieve-test"))) {
        fs::create_directory(inside());
    }
    // What may be written to; everything beside it must stay as it is.
    fs::path inside() const { return temporary_.path() / "inside"; }
    fs::path outside() const { return temporary_.path() / "outside"; }

    std::string one_archive(const std::vector<CpioEntry>& entries) {
        CpioWriter writer;
        for (const auto& entry : entries) writer.add(entry);
        return writer.finish();
    }

  private:
    TempDir temporary_;
};

unsigned mode_of(const fs::path& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777u : 0u;
}

TEST_F(Retrieve, PutsATreeWhereItIsWanted) {
    const auto archive = one_archive({{"log", S_IFDIR | 0750, ""},
                                      {"log/a", S_IFREG | 04751, "A"},
                                      {"log/sub", S_IFDIR | 0500, ""},
                                      {"log/sub/b", S_IFREG | 0600, "B"},
                                      {"log/link", S_IFLNK | 0777, "a"}});
    const auto missing = retrieve(archive, {{"/var/log", (inside() / "mine").string()}});
    ASSERT_TRUE(missing.has_value());
    EXPECT_THAT(*missing, IsEmpty());
    EXPECT_EQ(read_file(inside() / "mine/a").value(), "A");
    EXPECT_EQ(mode_of(inside() / "mine/a"), 0751u) << "no set-user-id bit from a box";
    EXPECT_EQ(read_file(inside() / "mine/sub/b").value(), "B");
    EXPECT_EQ(fs::read_symlink(inside() / "mine/link"), "a");
}

TEST_F(Retrieve, IntoADirectoryItKeepsItsName) {
    const auto archive = one_archive({{"data", S_IFREG | 0644, "new"}});
    ASSERT_TRUE(retrieve(archive, {{"/tmp/data", inside().string()}}).has_value());
    ASSERT_TRUE(retrieve(archive, {{"/tmp/data", inside().string()}}).has_value()) << "again";
    EXPECT_EQ(read_file(inside() / "data").value(), "new");
}

TEST_F(Retrieve, OneArchiveForEachAndEmptyOnesAreMissing) {
    const auto archives = one_archive({{"a", S_IFREG | 0644, "1"}}) + one_archive({}) +
                          one_archive({{"c", S_IFREG | 0644, "3"}});
    const auto missing = retrieve(archives, {{"/a", (inside() / "x").string()},
                                             {"/b", (inside() / "y").string()},
                                             {"/c", (inside() / "z").string()}});
    ASSERT_TRUE(missing.has_value());
    EXPECT_THAT(*missing, ElementsAre("/b"));
    EXPECT_EQ(read_file(inside() / "z").value(), "3");
    EXPECT_FALSE(fs::exists(inside() / "y"));
}

TEST_F(Retrieve, NamesThatLeadElsewhereAreRefused) {
    for (const auto* name : {"../outside", "d/../../outside", "/outside", "", "d//x", "."}) {
        const auto archive =
            one_archive({{"d", S_IFDIR | 0755, ""}, {name, S_IFREG | 0644, "bad"}});
        EXPECT_FALSE(retrieve(archive, {{"/d", (inside() / "d").string()}}).has_value()) << name;
        EXPECT_FALSE(fs::exists(outside())) << name;
    }
}

TEST_F(Retrieve, LinksAreNotFollowed) {
    fs::create_directory(outside());
    const std::string target = outside().string();
    const auto through_directory = one_archive({{"d", S_IFDIR | 0755, ""},
                                                {"d/l", S_IFLNK | 0777, target},
                                                {"d/l/x", S_IFREG | 0644, "bad"}});
    EXPECT_FALSE(retrieve(through_directory, {{"/d", (inside() / "d").string()}}).has_value());
    const std::string victim = (outside() / "x").string();
    const auto through_file = one_archive({{"e", S_IFDIR | 0755, ""},
                                           {"e/l", S_IFLNK | 0777, victim},
                                           {"e/l", S_IFREG | 0644, "bad"}});
    EXPECT_TRUE(retrieve(through_file, {{"/e", (inside() / "e").string()}}).has_value());
    EXPECT_TRUE(fs::is_empty(outside()));
    EXPECT_EQ(read_file(inside() / "e/l").value(), "bad") << "the link itself is replaced";
}

TEST_F(Retrieve, ACutArchiveIsAnError) {
    const auto archive = one_archive({{"a", S_IFREG | 0644, "1"}});
    const Transfer wanted{"/a", (inside() / "a").string()};
    EXPECT_FALSE(retrieve(archive.substr(0, archive.size() / 2), {wanted}).has_value());
    EXPECT_FALSE(retrieve("", {wanted}).has_value());
    EXPECT_FALSE(retrieve(archive, {wanted, wanted}).has_value());
}

TEST(Transfer, SplitsAtTheLastColon) {
    const auto transfer = parse_transfer("a:b:/c");
    ASSERT_TRUE(transfer.has_value());
    EXPECT_EQ(transfer->from, "a:b");
    EXPECT_EQ(transfer->to, "/c");
    for (const auto* bad : {"", "a", ":b", "a:", ":"}) {
        EXPECT_FALSE(parse_transfer(bad).has_value()) << bad;
    }
}

}  // namespace
}  // namespace ringside::guest
