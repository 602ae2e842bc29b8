#include "guest/hypervisor.h"

#include <fmt/format.h>

#include "base/error.h"
#include "guest/machine.h"

namespace ringside::guest {

namespace {

// hyp/platform/virt.h: where RAM begins.
constexpr std::uint64_t ram_base = 0x40000000;
// Neighbours come behind the hypervisor, 4 MiB each; then Linux has the rest.
constexpr std::uint64_t neighbour_base = 0x42000000;
constexpr std::uint64_t neighbour_bytes = 0x400000;
constexpr std::uint64_t neighbour_sees = 0x40000000;
constexpr std::uint64_t neighbour_image_offset = 0x200000;
constexpr std::uint64_t linux_base = 0x48000000;
constexpr std::uint64_t device_tree = 0x4e000000;
constexpr std::uint64_t initrd_base = 0x50000000;
// Where QEMU's `virt` has the registers of PCI devices.
constexpr std::uint64_t pci_base = 0x10000000;
constexpr std::uint64_t pci_bytes = 0x2eff0000;
constexpr std::size_t most_neighbours = (linux_base - neighbour_base) / neighbour_bytes;

Result<std::uint64_t> size_of(const fs::path& file) {
    std::error_code error;
    const auto bytes = fs::file_size(file, error);
    if (error) return base::fail(ErrorCode::not_found, "no file " + file.string());
    return std::uint64_t{bytes};
}

Result<void> add_neighbours(const fs::path& images, const HypervisorWish& wish,
                            HypervisorPlan& plan) {
    if (wish.neighbours.size() > most_neighbours) {
        return base::fail(ErrorCode::bad_input,
                          fmt::format("there is room for {} neighbours", most_neighbours));
    }
    std::uint64_t base = neighbour_base;
    for (const auto& name : wish.neighbours) {
        const fs::path image = images / (name + ".bin");
        const auto bytes = size_of(image);
        if (!bytes || *bytes > neighbour_bytes - neighbour_image_offset) {
            return base::fail(ErrorCode::not_found, "no neighbour " + name,
                              "they are the guests of hyp/tests");
        }
        plan.files.push_back({image.string(), base + neighbour_image_offset});
        plan.manifest +=
            fmt::format("guest {}\nmemory {:#x} {:#x} at {:#x}\nentry {:#x}\n", name, base,
                        neighbour_bytes, neighbour_sees, neighbour_sees + neighbour_image_offset);
        if (!wish.policy.empty()) plan.manifest += fmt::format("policy {}\n", wish.policy);
        base += neighbour_bytes;
    }
    return {};
}

}  // namespace

std::optional<fs::path> find_hypervisor(const std::vector<std::string>& builds) {
    for (const auto& build : builds) {
        const fs::path image = fs::path(build) / "hyp" / "hyp.elf";
        if (fs::exists(image)) return image;
    }
    return std::nullopt;
}

Result<HypervisorPlan> plan_hypervisor(const Kind& kind, const fs::path& hypervisor,
                                       const HypervisorWish& wish, const fs::path& kernel,
                                       const fs::path& initrd) {
    const auto initrd_bytes = size_of(initrd);
    if (!initrd_bytes) return initrd_bytes.error();
    const std::uint64_t ram_end = ram_base + (static_cast<std::uint64_t>(kind.memory_mb) << 20);
    if (initrd_base + *initrd_bytes > ram_end) {
        return base::fail(ErrorCode::bad_input,
                          fmt::format("what is put into {} does not fit its memory", kind.name));
    }
    HypervisorPlan plan;
    plan.image = hypervisor.string();
    plan.files = {{kernel.string(), linux_base}, {initrd.string(), initrd_base}};
    plan.manifest = "limit_ms 3600000\n";
    for (const auto& event : wish.host_events) plan.manifest += "host_event " + event + "\n";
    if (auto added = add_neighbours(hypervisor.parent_path() / "tests", wish, plan); !added) {
        return added.error();
    }
    plan.manifest += fmt::format(
        "guest linux\nmemory {0:#x} {1:#x}\nentry {0:#x}\ndevices\nleads\n"
        "device_tree {2:#x}\ninitrd {3:#x} {4:#x}\narguments {5}\n",
        linux_base, ram_end - linux_base, device_tree, initrd_base, *initrd_bytes,
        kernel_arguments(kind));
    if (!wish.policy.empty()) plan.manifest += fmt::format("policy {}\n", wish.policy);
    if (wish.direct) plan.manifest += "direct\n";
    if (wish.traps_devices) {
        plan.manifest +=
            fmt::format("forward pci {:#x} {:#x} work {}\n", pci_base, pci_bytes, wish.device_work);
    }
    return plan;
}

}  // namespace ringside::guest
