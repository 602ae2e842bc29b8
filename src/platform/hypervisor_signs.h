// Everything on a machine that may name its hypervisor or VMM, read but not yet judged.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sys_root.h"
#include "platform/cpu_model.h"
#include "platform/cpuid.h"
#include "platform/identity.h"

namespace ringside::platform {

std::vector<Observation> observe_hypervisor(const base::SysRoot& root, const Cpuid& cpuid,
                                            const CpuModel& cpu);

// The OEM id in the header of an ACPI table (ACPI 6.4, 5.2.6: six bytes at offset 10), without
// blanks and NULs at the end. nullopt for what is no such header.
std::optional<std::string> parse_acpi_oem_id(std::string_view table);

// The strings of a device-tree property, which stand behind each other with a NUL after each.
std::vector<std::string> parse_device_tree_strings(std::string_view property);

}  // namespace ringside::platform
