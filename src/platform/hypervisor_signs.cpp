#include "platform/hypervisor_signs.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "platform/readers.h"

namespace ringside::platform {

namespace {

using Observations = std::vector<Observation>;

// Firmware strings are short; a table can be large and only its header is wanted.
constexpr std::size_t acpi_header_bytes = 36;

void add_line(Observations& all, const base::SysRoot& root, std::string key,
              const std::string& path) {
    const auto line = read_line(root, path);
    if (line.value) all.push_back({std::move(key), path, *line.value});
}

void observe_cpuid(Observations& all, const Cpuid& cpuid) {
    if (!cpuid.readable()) return;
    all.push_back(
        {"cpuid_hypervisor_bit", "cpuid 0x1 ecx[31]", cpuid.hypervisor_bit() ? "1" : "0"});
    for (const auto& signature : hypervisor_signatures(cpuid)) {
        all.push_back({"cpuid", fmt::format("cpuid {:#x}", signature.base), signature.text});
    }
}

void observe_cpuinfo(Observations& all, const CpuModel& cpu) {
    if (cpu.arch == Arch::x86 && !cpu.flags.empty()) {
        all.push_back({"cpuinfo_hypervisor_flag", "/proc/cpuinfo flags: hypervisor",
                       cpu.has_flag("hypervisor") ? "1" : "0"});
    }
    if (cpu.arch == Arch::arm64 && cpu.vendor.value && cpu.name.value) {
        all.push_back({"cpuinfo_arm", "/proc/cpuinfo CPU implementer/part",
                       *cpu.vendor.value + "/" + *cpu.name.value});
    }
}

void observe_dmi(Observations& all, const base::SysRoot& root) {
    for (const std::string field :
         {"product_name", "sys_vendor", "bios_version", "bios_vendor", "chassis_asset_tag"}) {
        add_line(all, root, "dmi/" + field, "/sys/class/dmi/id/" + field);
    }
}

// Tables of one firmware mostly carry one id; each id is observed once, where it is first seen.
void observe_acpi(Observations& all, const base::SysRoot& root) {
    const std::string folder = "/sys/firmware/acpi/tables";
    std::vector<std::string> seen;
    for (const auto& name : root.list(folder).value_or({})) {
        const auto path = fmt::format("{}/{}", folder, name);
        const auto header = root.read(path, acpi_header_bytes);
        if (!header) continue;
        const auto id = parse_acpi_oem_id(*header);
        if (!id || std::find(seen.begin(), seen.end(), *id) != seen.end()) continue;
        seen.push_back(*id);
        all.push_back({"acpi", path + " OEM id", *id});
    }
}

void observe_device_tree(Observations& all, const base::SysRoot& root) {
    const std::string tree = "/proc/device-tree";
    const auto add_property = [&](const std::string& key, const std::string& path) {
        const auto property = root.read(path, 4096);
        if (!property) return;
        for (auto& text : parse_device_tree_strings(*property)) all.push_back({key, path, text});
    };
    add_property("device_tree/hypervisor", tree + "/hypervisor/compatible");
    add_property("device_tree/compatible", tree + "/compatible");
    add_property("device_tree/model", tree + "/model");
    add_property("device_tree/psci_method", tree + "/psci/method");
    for (const auto& name : root.list(tree).value_or({})) {
        if (!name.starts_with("fw-cfg@")) continue;
        add_property("device_tree/fw-cfg", fmt::format("{}/{}/compatible", tree, name));
    }
}

void observe_devices(Observations& all, const base::SysRoot& root) {
    const std::string platform = "/sys/bus/platform/devices";
    for (const auto& name : root.list(platform).value_or({})) {
        all.push_back({"platform_device", platform, name});
    }
    const auto psci = read_line(root, "/proc/device-tree/psci/method");
    if (psci.value == "hvc" && root.exists(platform + "/smccc_trng")) {
        all.push_back({"smccc_trng_by_hvc", platform + "/smccc_trng", "1"});
    }
    for (const std::string bus : {"vmbus", "virtio"}) {
        const std::string folder = "/sys/bus/" + bus + "/devices";
        const auto count = root.list(folder).value_or({}).size();
        if (count > 0) all.push_back({bus, folder, std::to_string(count)});
    }
    const std::string ptp = "/sys/class/ptp";
    for (const auto& name : root.list(ptp).value_or({})) {
        add_line(all, root, "ptp", fmt::format("{}/{}/clock_name", ptp, name));
    }
}

void observe_kernel(Observations& all, const base::SysRoot& root) {
    add_line(all, root, "sys_hypervisor", "/sys/hypervisor/type");
    add_line(all, root, "xen_capabilities", "/proc/xen/capabilities");
    add_line(all, root, "cmdline", "/proc/cmdline");
    add_line(all, root, "osrelease", "/proc/sys/kernel/osrelease");
}

}  // namespace

std::vector<Observation> observe_hypervisor(const base::SysRoot& root, const Cpuid& cpuid,
                                            const CpuModel& cpu) {
    Observations all;
    observe_cpuid(all, cpuid);
    observe_cpuinfo(all, cpu);
    observe_dmi(all, root);
    observe_acpi(all, root);
    observe_device_tree(all, root);
    observe_devices(all, root);
    observe_kernel(all, root);
    return all;
}

std::optional<std::string> parse_acpi_oem_id(std::string_view table) {
    if (table.size() < acpi_header_bytes) return std::nullopt;
    const auto is_signature_char = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '!';
    };
    const auto signature = table.substr(0, 4);
    if (!std::all_of(signature.begin(), signature.end(), is_signature_char)) return std::nullopt;
    const auto id = base::trim_end(table.substr(10, 6));
    if (id.empty() || !printable(id)) return std::nullopt;
    return std::string(id);
}

std::vector<std::string> parse_device_tree_strings(std::string_view property) {
    std::vector<std::string> strings;
    for (const auto part : base::split(property, '\0')) {
        const auto text = base::trim_end(part);
        if (!text.empty()) strings.emplace_back(text);
    }
    return strings;
}

}  // namespace ringside::platform
