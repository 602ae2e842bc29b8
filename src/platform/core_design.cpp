#include "platform/core_design.h"

#include <algorithm>

#include "base/csv.h"
#include "base/embedded.h"
#include "base/text.h"

namespace ringside::platform {

std::string core_design(const CpuModel& cpu) {
    const auto part = base::parse_u64(cpu.name.value.value_or(""), 16);
    const bool arm64 = cpu.arch == Arch::arm64;
    const auto model =
        arm64 ? (part ? std::optional<int>(static_cast<int>(*part)) : std::nullopt) : cpu.model;
    if (!model) return {};
    const auto rows = base::parse_csv(base::embedded_file("platform/cores.csv").value_or(""));
    for (const auto& row : rows) {
        if (row.size() != 4 || row[0] != cpu.vendor.value.value_or("")) continue;
        if (!arm64 && row[1] != std::to_string(cpu.family.value_or(-1))) continue;
        const auto models = base::parse_cpu_list(row[2]).value_or(std::vector<int>{});
        if (std::find(models.begin(), models.end(), *model) != models.end()) return row[3];
    }
    return {};
}

}  // namespace ringside::platform
