#include "guest/retrieve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/scratch_dir.h"
#include "guest/cpio.h"

namespace ringside::guest {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Retrieve : public ::testing::Test {
  protected:
    Retrieve() : temporary_(std::move(*base::ScratchDir::make("ringside-retrieve-test"))) {
        fs::create_directory(inside());
    }
    // What may be written to; everything beside it must stay as it is.
    fs::path inside() const { return temporary_.path() / "inside"; }
    fs::path outside() const { return temporary_.path() / "outside"; }

    struct Sent {
        std::string_view name;
        std::uint32_t mode;
        std::string_view content;
    };
    std::string one_archive(const std::vector<Sent>& entries) {
        CpioWriter writer;
        for (const auto& [name, mode, content] : entries) writer.add({name, mode, content});
        return writer.finish();
    }

  private:
    base::ScratchDir temporary_;
};

TEST_F(Retrieve, PutsATreeWhereItIsWanted) {
    const auto archive = one_archive({{"log", S_IFDIR | 0750, ""},
                                      {"log/a", S_IFREG | 04751, "A"},
                                      {"log/sub", S_IFDIR | 0500, ""},
                                      {"log/sub/b", S_IFREG | 0600, "B"}});
    const auto missing = retrieve(archive, {{"/var/log", (inside() / "mine").string()}});
    ASSERT_TRUE(missing.has_value());
    EXPECT_THAT(*missing, IsEmpty());
    EXPECT_EQ(read_file(inside() / "mine/a").value(), "A");
    EXPECT_EQ(read_file(inside() / "mine/sub/b").value(), "B");
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

// As src/incoming has it; here, that it is the one that decides.
TEST_F(Retrieve, WhatIsNoFileIsRefused) {
    fs::create_directory(outside());
    const auto archive =
        one_archive({{"d", S_IFLNK | 0777, outside().string()}, {"d/x", S_IFREG | 0644, "bad"}});
    const auto missing = retrieve(archive, {{"/d", (inside() / "d").string()}});
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().what, ::testing::HasSubstr("'d': neither a file nor a folder"));
    EXPECT_TRUE(fs::is_empty(outside()));
    EXPECT_TRUE(fs::is_empty(inside()));
}

TEST_F(Retrieve, NoMoreThanItsLimits) {
    incoming::Limits limits;
    limits.bytes = 2;
    const auto archive = one_archive({{"a", S_IFREG | 0644, "123"}});
    EXPECT_FALSE(retrieve(archive, {{"/a", (inside() / "a").string()}}, limits));
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
