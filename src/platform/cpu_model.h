// The processor's name. A fact about silicon (or what the VMM claims), never evidence of a PMU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/sys_root.h"
#include "platform/fact.h"

namespace ringside::platform {

enum class Arch { x86, arm64, other };

struct CpuModel {
    Arch arch = Arch::other;
    Fact<std::string> vendor;   // "GenuineIntel", "AuthenticAMD"; arm64: the implementer, "0x41"
    Fact<std::string> name;     // "AMD EPYC"; arm64: the part, "0xd0c"
    std::optional<int> family;  // x86 only, as are model and stepping
    std::optional<int> model;
    std::optional<int> stepping;
    Fact<std::uint64_t> current_hz;  // of the first CPU when it was read; x86 only
    std::string flags;               // "flags" or "Features", words between blanks

    bool has_flag(std::string_view flag) const;
};

// Which of the tables of events is about it: "arm64", "intel", "amd" or none.
std::string_view event_line(const CpuModel& cpu);

CpuModel read_cpu_model(const base::SysRoot& root);
// By the first CPU that /proc/cpuinfo lists.
CpuModel parse_cpuinfo(std::string_view cpuinfo);

}  // namespace ringside::platform
