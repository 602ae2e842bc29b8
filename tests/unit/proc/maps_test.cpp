#include "proc/maps.h"

#include <gtest/gtest.h>

namespace ringside::proc {
namespace {

TEST(Maps, ALineIsAMapping) {
    const auto mapping = parse_mapping(
        "55d0c000-55d0e000 r-xs 00001000 fe:01 1234                       /opt/a b/prog\n");
    ASSERT_TRUE(mapping);
    EXPECT_EQ(mapping->start, 0x55d0c000u);
    EXPECT_EQ(mapping->end, 0x55d0e000u);
    EXPECT_TRUE(mapping->readable);
    EXPECT_FALSE(mapping->writable);
    EXPECT_TRUE(mapping->executable);
    EXPECT_TRUE(mapping->shared);
    EXPECT_EQ(mapping->file_offset, 0x1000u);
    EXPECT_EQ(mapping->major, 0xfeu);
    EXPECT_EQ(mapping->minor, 1u);
    EXPECT_EQ(mapping->inode, 1234u);
    EXPECT_EQ(mapping->path, "/opt/a b/prog");
}

TEST(Maps, MemoryWithoutAFileHasNoPath) {
    for (const char* line : {"1000-2000 rw-p 00000000 00:00 0", "1000-2000 rw-p 00000000 00:00 0 ",
                             "1000-2000 rw-p 00000000 00:00 0 \n"}) {
        const auto mapping = parse_mapping(line);
        ASSERT_TRUE(mapping) << line;
        EXPECT_EQ(mapping->path, "");
        EXPECT_TRUE(mapping->writable);
        EXPECT_FALSE(mapping->executable);
        EXPECT_FALSE(mapping->shared);
    }
}

TEST(Maps, NamesAreTheOwnersAndForgeNothing) {
    // The kernel writes a newline in a path as "\012".
    const auto mapping = parse_mapping(
        "1000-2000 r-xp 00000000 00:00 0 /tmp/x\\0121000-2000 r-xp 00000000 00:00 0 /bin/sh");
    ASSERT_TRUE(mapping);
    EXPECT_EQ(mapping->path, "/tmp/x\\0121000-2000 r-xp 00000000 00:00 0 /bin/sh");
}

TEST(Maps, WhatIsNoMappingIsLeftOut) {
    for (const char* line :
         {"", "\n", "nonsense r-xp 0 0 0", "1000", "1000-2000", "1000-2000 r-xp",
          "-2000 r-xp 0 0:0 0", "2000-1000 r-xp 00000000 00:00 0 /x",
          "1000-1000 r-xp 00000000 00:00 0 /x", "1000-2000 r-x 00000000 00:00 0 /x",
          "1000-2000 r-xpp 00000000 00:00 0 /x", "1000-2000 r-xp 00000000 0000 0 /x",
          "1000-2000 r-xp 00000000 00:00 x /x", "1000-2000 r-xp 00000000 100000000:00 0 /x",
          "10000000000000000-2 r-xp 0 0:0 0 /x"}) {
        EXPECT_FALSE(parse_mapping(line)) << line;
    }
}

TEST(Maps, ATextIsItsLines) {
    const auto mappings = parse_maps(
        "55d0c0000000-55d0c0001000 r--p 00000000 fd:01 12   /usr/bin/app\n"
        "nonsense\n"
        "55d0c0001000-55d0c0003000 r-xp 00001000 fd:01 12   /usr/bin/my app (deleted)\n"
        "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0   [vsyscall]");
    ASSERT_EQ(mappings.size(), 3u);
    EXPECT_EQ(mappings[1].path, "/usr/bin/my app (deleted)");
    EXPECT_EQ(mappings[2].end, 0xffffffffff601000u);
    EXPECT_EQ(mappings[2].path, "[vsyscall]");
}

}  // namespace
}  // namespace ringside::proc
