#include "platform/container.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/container_signs.h"
#include "temp_tree.h"

namespace ringside::platform {
namespace {

using ::testing::ElementsAre;

TEST(ContainerSigns, TheContainerVariable) {
    EXPECT_EQ(parse_container_variable(std::string_view("A=1\0container=lxc\0", 18)), "lxc");
    EXPECT_FALSE(parse_container_variable("mycontainer=lxc"));
}

TEST(ContainerSigns, TheRootMountIsTheLastOneOnSlash) {
    const auto mount = parse_root_mount(
        "1 1 0:2 / / rw - rootfs none rw\n"
        "24 1 254:1 /sub / rw,relatime shared:1 master:2 - ext4 /dev/vda1 rw,errors=remount-ro\n"
        "25 24 0:9 / /proc rw - proc proc rw\n"
        "26 24 0:9 / / rw - short\n");
    ASSERT_TRUE(mount);
    EXPECT_EQ(mount->root, "/sub");
    EXPECT_EQ(mount->type, "ext4");
    EXPECT_EQ(mount->source, "/dev/vda1");
    EXPECT_FALSE(parse_root_mount("no mount at all"));
}

TEST(ContainerSigns, CgroupPathsMayHoldColons) {
    EXPECT_THAT(parse_cgroup_paths("12:cpu,cpuacct:/docker/a:b\n0::/\nbad\n1:x\n"),
                ElementsAre("/docker/a:b"));
}

TEST(Container, IsFoundByCgroupVersionOne) {
    TempTree tree;
    tree.put("/proc/1/cgroup", "3:cpu:/kubepods/burstable/pod1/cri-containerd-abc.scope\n");
    const auto found = read_container(tree.root());
    EXPECT_EQ(found.runtime, "containerd");
    EXPECT_EQ(found.orchestrator, "kubernetes");
}

// An image that was unpacked onto a disk and booted still holds docker's marker.
TEST(Container, AMarkerOnABlockDeviceIsStale) {
    TempTree tree;
    tree.put("/.dockerenv", "")
        .put("/proc/self/mountinfo", "27 1 254:0 / / rw - ext4 /dev/vda rw\n");
    const auto found = read_container(tree.root());
    EXPECT_EQ(found.runtime, "none");
    ASSERT_EQ(found.evidence.size(), 2u);
    EXPECT_EQ(found.evidence[1].source, "/.dockerenv exists");
}

TEST(Container, AMarkerWithoutAMountTableIsBelieved) {
    TempTree tree;
    tree.put("/.dockerenv", "");
    EXPECT_EQ(read_container(tree.root()).runtime, "docker");
}

TEST(Container, AnUnnamedRuntimeIsUnknownNotNone) {
    TempTree tree;
    tree.put("/run/systemd/container", "oci\n");
    EXPECT_EQ(read_container(tree.root()).runtime, "unknown");
}

TEST(Container, SaysWhatItCouldNotRead) {
    TempTree tree;
    tree.put("/proc/1/environ/a_directory", "");
    const auto found = read_container(tree.root());
    EXPECT_EQ(found.runtime, "none");
    ASSERT_EQ(found.evidence.size(), 1u);
    EXPECT_EQ(found.evidence[0].source, "/proc/1/environ");
}

}  // namespace
}  // namespace ringside::platform
