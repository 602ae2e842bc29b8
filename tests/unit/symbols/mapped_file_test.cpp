#include "symbols/mapped_file.h"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../scratch.h"
#include "symbols/elf_file.h"

namespace ringside::symbols {
namespace {

namespace fs = std::filesystem;

std::string file_of(std::size_t bytes) {
    const std::string path = scratch::file("mapped");
    std::ofstream(path, std::ios::binary) << std::string(bytes, 'x');
    return path;
}

TEST(MappedFile, OpensFilesAlone) {
    const std::string pipe = scratch::file("mapped.pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    for (const auto& path :
         {pipe, std::string("/dev/zero"), std::string("/dev/null"), std::string("/"),
          std::string("/no/such"), std::string(), file_of(0)}) {
        EXPECT_FALSE(MappedFile::open(path)) << path;
    }
    const auto file = MappedFile::open(file_of(3));
    ASSERT_TRUE(file);
    EXPECT_EQ(file->bytes().size(), 3u);
}

TEST(MappedFile, FollowsALinkToAFile) {
    const std::string link = scratch::file("mapped.link");
    fs::create_symlink(file_of(3), link);
    EXPECT_TRUE(MappedFile::open(link));
}

// In a process of its own, since the handler stays.
[[noreturn]] void read_what_was_cut(bool by_us) {
    MappedFile::survive_truncation();
    const std::string path = file_of(100'000);
    auto moved = MappedFile::open(path);
    MappedFile file = std::move(*moved);
    ::truncate(path.c_str(), 10);
    unsigned sum = 0;
    for (const auto byte : file.bytes()) sum += std::to_integer<unsigned>(byte);
    if (by_us) {
        // What is mapped by others ends as it always did.
        std::raise(SIGBUS);
    }
    ::_exit(sum == 10 * 'x' && file.bytes().size() == 100'000 ? 0 : 1);
}

TEST(MappedFileDeath, WhatIsCutOffReadsAsZeros) {
    EXPECT_EXIT(read_what_was_cut(false), ::testing::ExitedWithCode(0), "");
}

TEST(MappedFileDeath, OtherBusErrorsEndTheProcess) {
    EXPECT_EXIT(read_what_was_cut(true), ::testing::KilledBySignal(SIGBUS), "");
}

TEST(MappedFileDeath, ManyAreKnownAndForgotten) {
    const auto many = [] {
        MappedFile::survive_truncation();
        const std::string path = file_of(5000);
        std::vector<MappedFile> files;
        for (int round = 0; round < 3; ++round) {
            files.clear();
            for (int i = 0; i < 1000; ++i) files.push_back(std::move(*MappedFile::open(path)));
        }
        ::truncate(path.c_str(), 0);
        unsigned sum = 0;
        for (const auto& file : files) sum += std::to_integer<unsigned>(file.bytes()[4500]);
        ::_exit(sum == 0 ? 0 : 1);
    };
    EXPECT_EXIT(many(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace ringside::symbols
