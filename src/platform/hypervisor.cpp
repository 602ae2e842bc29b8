#include "platform/hypervisor.h"

#include <algorithm>

#include "base/embedded.h"
#include "base/text.h"
#include "platform/hypervisor_signs.h"
#include "platform/identity.h"
#include "platform/readers.h"

namespace ringside::platform {

namespace {

using Sightings = std::vector<Sighting>;

bool names_one(const Sighting& sighting) {
    return !sighting.name.empty() && sighting.name != "none" && sighting.name != "unknown";
}

// Sightings are sorted by rank: the strongest one says whether there is a machine below us at all.
Fact<bool> decide_virtualized(const Sightings& sightings) {
    if (sightings.empty()) {
        return unknown<bool>("CPUID, DMI, ACPI, device tree, /sys/hypervisor",
                             "nothing could be read that tells a virtual machine from a real one");
    }
    return {sightings.front().name != "none", sightings.front().evidence};
}

std::string decide_name(const Sightings& sightings) {
    const auto best = std::find_if(sightings.begin(), sightings.end(), names_one);
    return best == sightings.end() ? "unknown" : best->name;
}

std::string decide_vmm(const Sightings& sightings) {
    const auto best = std::find_if(sightings.begin(), sightings.end(),
                                   [](const Sighting& each) { return !each.detail.empty(); });
    return best == sightings.end() ? "unknown" : best->detail;
}

std::vector<std::string> other_names(const Sightings& sightings, const std::string& name) {
    std::vector<std::string> others;
    for (const auto& each : sightings) {
        const bool is_new = std::find(others.begin(), others.end(), each.name) == others.end();
        if (names_one(each) && each.name != name && is_new) others.push_back(each.name);
    }
    return others;
}

// The kernel's word if it gives one; else Xen's own firmware, which only HVM guests have.
std::string read_xen_mode(const base::SysRoot& root, std::vector<Evidence>& evidence) {
    const auto type = read_line(root, "/sys/hypervisor/guest_type");
    if (type.value) {
        evidence.push_back(type.evidence);
        return base::to_lower(*type.value);
    }
    const auto product = read_line(root, "/sys/class/dmi/id/product_name");
    return product.value == "HVM domU" ? "hvm" : "";
}

std::string read_pmu_policy(const base::SysRoot& root, std::vector<Evidence>& evidence) {
    const std::string path = "/proc/device-tree/hypervisor/ringside,vpmu";
    const auto property = root.read(path, 4096);
    const auto texts = property ? parse_device_tree_strings(*property) : std::vector<std::string>();
    if (texts.empty()) return "";
    evidence.push_back({path, texts.front()});
    return texts.front();
}

}  // namespace

Hypervisor read_hypervisor(const base::SysRoot& root, const Cpuid& cpuid, const CpuModel& cpu) {
    const auto table = base::embedded_file("platform/hypervisors.csv").value_or("");
    const auto sightings = recognise(observe_hypervisor(root, cpuid, cpu), table);
    Hypervisor found;
    found.virtualized = decide_virtualized(sightings);
    for (const auto& each : sightings) found.evidence.push_back(each.evidence);
    if (!found.virtualized.value) {
        found.evidence.push_back(found.virtualized.evidence);
        return found;
    }
    found.name = *found.virtualized.value ? decide_name(sightings) : "none";
    found.vmm = *found.virtualized.value ? decide_vmm(sightings) : "none";
    found.also_named = other_names(sightings, found.name);
    found.pmu_policy = read_pmu_policy(root, found.evidence);
    if (found.name == "xen") found.mode = read_xen_mode(root, found.evidence);
    return found;
}

}  // namespace ringside::platform
