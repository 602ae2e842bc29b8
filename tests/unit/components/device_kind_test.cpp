#include "components/device_kind.h"

#include "../platform/temp_tree.h"

namespace ringside::components {
namespace {

using platform::TempTree;

constexpr const char* path = "/sys/class/net/eth0";

// A device as sysfs shows one on a bus.
Device on_bus(const std::string& bus, const std::string& driver, const std::string& ids,
              std::optional<bool> virtualized, bool slice = false) {
    TempTree tree;
    const std::string device = std::string(path) + "/device";
    tree.put(device + "/uevent", "\n");
    if (!driver.empty())
        tree.link(device + "/driver", "../../../bus/" + bus + "/drivers/" + driver);
    tree.link(device + "/subsystem", "../../../bus/" + bus);
    if (slice) tree.put(device + "/physfn/uevent", "\n");
    const char* const files[] = {"/vendor", "/device", "/subsystem_vendor", "/subsystem_device"};
    for (std::size_t i = 0; i < 4 && 5 * i + 4 <= ids.size(); ++i) {
        tree.put(device + files[i], "0x" + ids.substr(5 * i, 4) + "\n");
    }
    return identify_device(tree.root(), path, virtualized);
}

TEST(DeviceKind, VirtioIsParavirtualOnEveryBus) {
    // behind PCI or memory-mapped, the device's own ids are virtio's: 1af4 and the type of device
    const auto device = on_bus("virtio", "virtio_net", "1af4:0001", true);
    EXPECT_EQ(device.kind, DeviceKind::paravirtual);
    EXPECT_EQ(device.text(), "paravirtual (virtio_net, virtio)");
    EXPECT_EQ(on_bus("virtio", "virtio_net", "", std::nullopt).kind, DeviceKind::paravirtual);
}

TEST(DeviceKind, ParavirtualDevicesOfOtherHypervisors) {
    EXPECT_EQ(on_bus("pci", "vmxnet3", "15ad:07b0:15ad:07b0", true).kind, DeviceKind::paravirtual);
    EXPECT_EQ(on_bus("vmbus", "hv_netvsc", "", true).kind, DeviceKind::paravirtual);
    EXPECT_EQ(on_bus("xen", "vif", "", true).kind, DeviceKind::paravirtual);
    EXPECT_EQ(on_bus("pci", "gve", "1ae0:0042:1ae0:0058", true).kind, DeviceKind::paravirtual);
}

TEST(DeviceKind, AModelOfHardwareIsEmulatedInAGuestAndHardwareElsewhere) {
    const auto guest = on_bus("pci", "e1000", "8086:100e:1af4:1100", true);
    EXPECT_EQ(guest.text(), "emulated (e1000, Intel 82540EM)");
    EXPECT_EQ(on_bus("pci", "8139cp", "10ec:8139:1af4:1100", true).kind, DeviceKind::emulated);
    EXPECT_EQ(on_bus("pci", "e1000", "8086:100f:15ad:0750", true).kind, DeviceKind::emulated);
    EXPECT_EQ(on_bus("pci", "e1000", "8086:100e:8086:001e", false).kind, DeviceKind::physical);
    EXPECT_EQ(on_bus("pci", "e1000", "8086:100e:8086:001e", std::nullopt).kind,
              DeviceKind::emulated);
}

TEST(DeviceKind, QemusMarkOnABoardSaysEmulatedWhateverTheModel) {
    EXPECT_EQ(on_bus("pci", "newdriver", "1234:5678:1af4:1100", true).text(),
              "emulated (newdriver, QEMU)");
}

TEST(DeviceKind, AVirtualFunctionIsKnownByItsIdItsDriverOrItsHost) {
    EXPECT_EQ(on_bus("pci", "mlx5_core", "15b3:101e:15b3:0000", true).kind,
              DeviceKind::virtual_function);
    EXPECT_EQ(on_bus("pci", "ena", "1d0f:ec20:1d0f:ec20", true).kind, DeviceKind::virtual_function);
    EXPECT_EQ(on_bus("pci", "iavf", "8086:154c:8086:0000", true).kind,
              DeviceKind::virtual_function);
    EXPECT_EQ(on_bus("pci", "newdriver", "1234:5678:1234:0000", false, true).kind,
              DeviceKind::virtual_function);
}

TEST(DeviceKind, AWholeDeviceIsPassedThroughInAGuestOnly) {
    EXPECT_EQ(on_bus("pci", "mlx5_core", "15b3:101d:15b3:0000", true).text(),
              "passed through (mlx5_core)");
    EXPECT_EQ(on_bus("pci", "mlx5_core", "15b3:101d:15b3:0000", false).kind, DeviceKind::physical);
    EXPECT_EQ(on_bus("pci", "mlx5_core", "15b3:101d:15b3:0000", std::nullopt).kind,
              DeviceKind::unknown);
    EXPECT_EQ(on_bus("usb", "cdc_ether", "", true).kind, DeviceKind::passed_through);
}

TEST(DeviceKind, WithoutADeviceItIsSoftwareAndWithoutAnEntryUnknown) {
    TempTree tree;
    tree.put("/sys/class/net/br0/bridge/bridge_id", "8000\n");
    EXPECT_EQ(identify_device(tree.root(), "/sys/class/net/br0", true).text(), "software");
    EXPECT_EQ(identify_device(tree.root(), "/sys/class/net/eth7", true).text(), "unknown");
}

TEST(DeviceKind, ADeviceWithNothingToReadIsStillNamed) {
    EXPECT_EQ(on_bus("pci", "", "", true).text(), "passed through");
}

}  // namespace
}  // namespace ringside::components
