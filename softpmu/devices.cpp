// Accesses of a machine to its devices: which of them are, and whose.
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "softpmu/plugin.h"

namespace ringside::softpmu {

namespace {

// The device's place in the table; the last one is for all that had no room.
std::uint32_t device_named(const char* name) {
    soft_extension& extension = plugin.store.extension();
    const std::lock_guard lock(plugin.mutex);
    std::uint32_t i = 0;
    for (; i < extension.device_count; ++i) {
        const auto& known = extension.device[i].name;
        if (std::strncmp(known, name, sizeof known - 1) == 0) return i;
    }
    if (i == SOFT_DEVICES) return SOFT_DEVICES - 1;
    const char* shown = i == SOFT_DEVICES - 1 ? "others" : name;
    std::strncpy(extension.device[i].name, shown, sizeof extension.device[i].name - 1);
    std::atomic_ref(extension.device_count).store(i + 1, std::memory_order_release);
    return i;
}

// QEMU has no name for what shares a page with others, and makes up another one in every run. Then
// it is the page's address, which the guest's /proc/iomem knows.
std::uint32_t device_at(const qemu_plugin_hwaddr* place, std::uint64_t physical) {
    constexpr std::uint64_t page = 4096;
    const char* known = qemu_plugin_hwaddr_device_name(place);
    if (std::strncmp(known, "anon", 4) != 0) return device_named(known);
    char name[32];
    std::snprintf(name, sizeof name, "%#" PRIx64, physical / page * page);
    return device_named(name);
}

void add_accesses(const DevicePages::Reached& reached) {
    soft_device& device = plugin.store.extension().device[reached.device];
    std::atomic_ref(device.reads).fetch_add(reached.reads, std::memory_order_relaxed);
    std::atomic_ref(device.writes).fetch_add(reached.writes, std::memory_order_relaxed);
}

}  // namespace

bool is_device(const qemu_plugin_hwaddr* place) {
    return place != nullptr && qemu_plugin_hwaddr_is_io(place);
}

std::optional<std::uint32_t> count_device(Vcpu& vcpu, const qemu_plugin_hwaddr* place,
                                          const Access& access) {
    count_io(vcpu, access.ip);
    if (vcpu.devices == nullptr) vcpu.devices = new DevicePages;
    const std::uint64_t physical = qemu_plugin_hwaddr_phys_addr(place);
    const auto reached = vcpu.devices->reach(access.address, physical, access.is_write,
                                             [&] { return device_at(place, physical); });
    if (!reached) return std::nullopt;
    add_accesses(*reached);
    return reached->device;
}

// Which port is in a register, which QEMU does not show.
std::uint32_t count_port(Vcpu& vcpu, bool is_write, std::uint64_t ip) {
    static const std::uint32_t ports = device_named("x86 ports");
    count_io(vcpu, ip);
    add_accesses({ports, is_write ? 0u : 1u, is_write ? 1u : 0u});
    return ports;
}

}  // namespace ringside::softpmu
