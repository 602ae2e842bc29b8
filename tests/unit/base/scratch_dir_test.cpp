#include "base/scratch_dir.h"

#include <fstream>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/clock.h"

namespace ringside::base {
namespace {

namespace fs = std::filesystem;

TEST(ScratchDir, IsGoneWithAllInIt) {
    const auto kept = fs::path(::testing::TempDir()) / "scratch_dir_kept";
    std::ofstream(kept) << "x";
    fs::path path;
    {
        const auto made = ScratchDir::make("scratch");
        ASSERT_TRUE(made);
        path = made->path();
        fs::create_directories(path / "a/b");
        std::ofstream(path / "a/b/file") << "x";
        fs::create_symlink(kept, path / "link");
        EXPECT_THAT(path.filename().string(), ::testing::StartsWith("scratch@"));
    }
    EXPECT_FALSE(fs::exists(path));
    EXPECT_TRUE(fs::exists(kept)) << "links are not followed";
    fs::remove(kept);
}

TEST(ScratchDir, IsThisUsersAlone) {
    for (const auto& made : {ScratchDir::make("x"), ScratchDir::make_in_memory("x")}) {
        ASSERT_TRUE(made);
        struct stat info {};
        ASSERT_EQ(::stat(made->path().c_str(), &info), 0);
        EXPECT_EQ(info.st_mode & 07777, 0700u);
    }
}

TEST(ScratchDir, MovesAndIsRemovedOnce) {
    auto made = ScratchDir::make_in_memory("moved");
    ASSERT_TRUE(made);
    const fs::path path = made->path();
    {
        const ScratchDir other(std::move(*made));
        EXPECT_EQ(other.path(), path);
        EXPECT_TRUE(fs::exists(path));
    }
    EXPECT_FALSE(fs::exists(path));
}

TEST(Clock, RunsForwardInNanoseconds) {
    timespec before{};
    ::clock_gettime(CLOCK_MONOTONIC, &before);
    const auto now = now_ns();
    timespec after{};
    ::clock_gettime(CLOCK_MONOTONIC, &after);
    EXPECT_LE(ns_of(before), now);
    EXPECT_LE(now, ns_of(after));
    EXPECT_EQ(ns_of(timespec{3, 5}), 3'000'000'005u);
}

TEST(Clock, OneThatIsNotThereIsNone) {
    EXPECT_TRUE(read_clock_ns(CLOCK_REALTIME));
    EXPECT_FALSE(read_clock_ns(clockid_t{1000}));
}

}  // namespace
}  // namespace ringside::base
