#include "platform/container.h"

#include <gtest/gtest.h>

#include "platform/container_signs.h"
#include "temp_tree.h"

namespace ringside::platform {
namespace {

TEST(ContainerSigns, TheContainerVariable) {
    EXPECT_EQ(parse_container_variable(std::string_view("A=1\0container=lxc\0", 18)), "lxc");
    EXPECT_FALSE(parse_container_variable("mycontainer=lxc"));
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
