// Folders that outlived their owner, and those that did not.
#include <fstream>
#include <optional>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../scratch.h"
#include "base/scratch_dir.h"

namespace ringside::base {
namespace {

namespace fs = std::filesystem;

class ScratchDirLeft : public ::testing::Test {
  protected:
    void SetUp() override {
        parent_ = scratch::file(::testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::create_directories(parent_);
    }
    // Of a process that is killed while it has it.
    fs::path abandoned() const {
        int ends[2];
        EXPECT_EQ(::pipe(ends), 0);
        const pid_t owner = ::fork();
        if (owner == 0) {
            const auto folder = ScratchDir::make_below(parent_, "ringside-box");
            if (!folder) ::_exit(1);
            std::ofstream(folder->path() / "file") << "x";
            fs::create_directory(folder->path() / "folder");
            const std::string path = folder->path();
            if (::write(ends[1], path.data(), path.size()) < 0) ::_exit(1);
            ::pause();
        }
        char path[4096];
        const auto got = ::read(ends[0], path, sizeof path);
        ::kill(owner, SIGKILL);
        ::waitpid(owner, nullptr, 0);
        ::close(ends[0]);
        ::close(ends[1]);
        return std::string(path, got > 0 ? static_cast<std::size_t>(got) : 0);
    }

    fs::path parent_;
};

TEST_F(ScratchDirLeft, IsOursAloneAndGoesWithAllInIt) {
    fs::path path;
    {
        const auto folder = ScratchDir::make_below(parent_, "ringside-box");
        ASSERT_TRUE(folder);
        path = folder->path();
        EXPECT_EQ(path.filename().string().rfind("ringside-box@", 0), 0u);
        struct stat status {};
        ASSERT_EQ(::stat(path.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 07777, 0700u);
        std::ofstream(path / "file") << "x";
    }
    EXPECT_FALSE(fs::exists(path));
}

TEST_F(ScratchDirLeft, WhatAKilledProcessLeftIsRemovedByTheNext) {
    const fs::path left = abandoned();
    ASSERT_TRUE(fs::exists(left / "file")) << left;
    const auto next = ScratchDir::make_below(parent_, "ringside-other");
    ASSERT_TRUE(next);
    EXPECT_FALSE(fs::exists(left));
    EXPECT_TRUE(fs::exists(next->path()));
}

TEST_F(ScratchDirLeft, WhatIsInUseStays) {
    const auto first = ScratchDir::make_below(parent_, "ringside-box");
    const auto second = ScratchDir::make_below(parent_, "ringside-box");
    ASSERT_TRUE(first && second);
    EXPECT_TRUE(fs::exists(first->path()));
    EXPECT_TRUE(fs::exists(second->path()));
}

TEST_F(ScratchDirLeft, WhatIsNotOursStays) {
    const fs::path target = parent_ / "precious";
    fs::create_directory(target);
    std::ofstream(target / "file") << "x";
    fs::create_directory_symlink(target, parent_ / "ringside-box@linked");
    std::ofstream(parent_ / "ringside-box@afile_") << "x";
    fs::create_directory(parent_ / "ringside-box.longer");
    const fs::path others = parent_ / "ringside-box@others";
    const bool is_root = ::geteuid() == 0;
    if (is_root) {
        fs::create_directory(others);
        ASSERT_EQ(::chown(others.c_str(), 65534, 65534), 0);
    }
    ASSERT_TRUE(ScratchDir::make_below(parent_, "ringside-box"));
    EXPECT_TRUE(fs::exists(target / "file"));
    EXPECT_TRUE(fs::exists(parent_ / "ringside-box@linked"));
    EXPECT_TRUE(fs::exists(parent_ / "ringside-box@afile_"));
    EXPECT_TRUE(fs::exists(parent_ / "ringside-box.longer"));
    EXPECT_EQ(fs::exists(others), is_root);
}

// Many that start at once take nothing from each other.
TEST_F(ScratchDirLeft, ManyAtOnceEachHaveTheirs) {
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            for (int turn = 0; turn < 50; ++turn) {
                const auto folder = ScratchDir::make_below(parent_, "ringside-box");
                if (!folder || !fs::is_directory(folder->path())) ::_exit(1);
                std::ofstream(folder->path() / "file") << "x";
                if (!fs::exists(folder->path() / "file")) ::_exit(2);
            }
            ::_exit(0);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = -1;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    EXPECT_TRUE(fs::is_empty(parent_));
}

}  // namespace
}  // namespace ringside::base
