#include "platform/hypervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/hypervisor_signs.h"
#include "temp_tree.h"

namespace ringside::platform {
namespace {

using ::testing::ElementsAre;

Hypervisor identify(const TempTree& tree, const Cpuid& cpuid) {
    return read_hypervisor(tree.root(), cpuid, read_cpu_model(tree.root()));
}

TEST(HypervisorSigns, TheOemIdOfAnAcpiTable) {
    std::string table = "FACP";
    table.resize(36, '\0');
    table.replace(10, 6, "VBOX  ");
    EXPECT_EQ(parse_acpi_oem_id(table), "VBOX");
    EXPECT_FALSE(parse_acpi_oem_id(table.substr(0, 35)));
    table[0] = '\x01';
    EXPECT_FALSE(parse_acpi_oem_id(table));
    table.replace(0, 4, "DSDT").replace(10, 6, "\xff\xff\xff\xff\xff\xff");
    EXPECT_FALSE(parse_acpi_oem_id(table));
}

TEST(HypervisorSigns, DeviceTreeStringsStandBehindEachOther) {
    EXPECT_THAT(parse_device_tree_strings(std::string_view("xen,xen-4.17\0xen,xen\0", 21)),
                ElementsAre("xen,xen-4.17", "xen,xen"));
    EXPECT_TRUE(parse_device_tree_strings(std::string_view("\0\0", 2)).empty());
}

TEST(Hypervisor, AKernelsNameAloneIsAWeakHint) {
    TempTree tree;
    tree.put("/proc/sys/kernel/osrelease", "6.1.0-fc-1\n");
    const auto found = identify(tree, Cpuid());
    EXPECT_EQ(found.vmm, "firecracker");
    EXPECT_EQ(found.virtualized.value, true);
    EXPECT_TRUE(found.virtualized.evidence.weak);
    EXPECT_EQ(found.virtualized.evidence.source, "/proc/sys/kernel/osrelease");
}

// QEMU with "-cpu host,-hypervisor" hides in CPUID, not in its firmware.
TEST(Hypervisor, FirmwareOfAVmmOutweighsAMissingHypervisorBit) {
    TempTree tree;
    tree.put("/sys/class/dmi/id/sys_vendor", "QEMU\n");
    const auto found = identify(tree, Cpuid::from_text("0 0 10 0 0 0\n1 0 0 0 0 0\n"));
    EXPECT_EQ(found.virtualized.value, true);
    EXPECT_EQ(found.name, "unknown");
    EXPECT_EQ(found.vmm, "qemu");
}

TEST(Hypervisor, TheBitWithoutASignatureIsAnUnknownHypervisor) {
    const TempTree tree;
    const auto found = identify(tree, Cpuid::from_text("0 0 10 0 0 0\n1 0 0 0 80000000 0\n"));
    EXPECT_EQ(found.virtualized.value, true);
    EXPECT_EQ(found.name, "unknown");
    EXPECT_EQ(found.vmm, "unknown");
}

TEST(Hypervisor, VirtioAloneIsAWeakHint) {
    TempTree tree;
    tree.put("/sys/bus/virtio/devices/virtio0/vendor", "0x1af4\n");
    const auto found = identify(tree, Cpuid());
    EXPECT_EQ(found.virtualized.value, true);
    EXPECT_TRUE(found.virtualized.evidence.weak);
    EXPECT_EQ(found.name, "unknown");
}

TEST(Hypervisor, WithoutCpuidTheKernelsFlagCounts) {
    TempTree tree;
    tree.put("/proc/cpuinfo", "vendor_id\t: GenuineIntel\nflags\t\t: fpu tsc\n");
    EXPECT_EQ(identify(tree, Cpuid()).name, "none");
    tree.put("/proc/cpuinfo", "vendor_id\t: GenuineIntel\nflags\t\t: fpu hypervisor\n");
    EXPECT_EQ(identify(tree, Cpuid()).virtualized.value, true);
}

}  // namespace
}  // namespace ringside::platform
