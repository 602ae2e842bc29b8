#include "proc/mounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../platform/temp_tree.h"

namespace ringside::proc {
namespace {

using platform::TempTree;
using ::testing::ElementsAre;

TEST(Mounts, WhatIsSeenIsTheLastOneThere) {
    const std::string text =
        "1 1 0:2 / / rw - rootfs none rw\n"
        "24 1 254:1 /sub / rw,relatime shared:1 master:2 - ext4 /dev/vda1 rw,errors=remount-ro\n"
        "25 24 0:9 / /proc rw - proc proc rw\n"
        "26 24 0:9 / / rw - short\n";
    EXPECT_EQ(parse_mountinfo(text).size(), 3u);
    const auto mount = find_mount(text, "/");
    ASSERT_TRUE(mount);
    EXPECT_EQ(mount->root, "/sub");
    EXPECT_EQ(mount->type, "ext4");
    EXPECT_EQ(mount->source, "/dev/vda1");
    EXPECT_EQ(mount->options, "rw,errors=remount-ro");
    EXPECT_FALSE(find_mount(text, "/home"));
    EXPECT_FALSE(find_mount("no mount at all", "/"));
}

TEST(Mounts, TracefsIsAtItsOwnPlaceFirst) {
    TempTree tree;
    EXPECT_EQ(tracefs_folder(tree.root()), "/sys/kernel/tracing") << "though it is not there";
    tree.put("/sys/kernel/debug/tracing/events/enable", "0");
    EXPECT_EQ(tracefs_folder(tree.root()), "/sys/kernel/debug/tracing");
    tree.put("/sys/kernel/tracing/events/enable", "0");
    EXPECT_EQ(tracefs_folder(tree.root()), "/sys/kernel/tracing");
}

TEST(Mounts, ACgroupLiesInOneOfThreeHierarchies) {
    const std::vector<std::string> folders{"/sys/fs/cgroup/unified/a/b", "/sys/fs/cgroup/a/b"};
    EXPECT_EQ(cgroup_folders("/a/b"), folders);
    EXPECT_EQ(cgroup_folders("a/b"), folders);
    EXPECT_EQ(cgroup_v1_folder("cpuacct", "a"), "/sys/fs/cgroup/cpuacct/a");
}

TEST(Mounts, CgroupPathsMayHoldColons) {
    EXPECT_THAT(parse_cgroup_paths("12:cpu,cpuacct:/docker/a:b\n0::/\nbad\n1:x\n"),
                ElementsAre("/docker/a:b"));
}

}  // namespace
}  // namespace ringside::proc
