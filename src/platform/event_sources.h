// The kernel's event sources (/sys/bus/event_source/devices) and what the processor advertises.
// Neither proves that a counter counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sys_root.h"
#include "platform/cpuid.h"
#include "platform/fact.h"

namespace ringside::platform {

struct NamedText {
    std::string name;
    std::string text;
};

struct EventSource {
    std::string name;
    std::optional<std::uint32_t> type;  // for perf_event_attr.type
    bool is_cpu = false;                // counts what a CPU core does, not an uncore or software
    std::string cpus;                   // "cpus" or "cpumask" as written, may be empty
    std::optional<int> rdpmc;           // x86: 0 never, 1 with an event mapped, 2 always
    std::vector<NamedText> formats;     // "event" -> "config:0-7,32-35"
    std::vector<NamedText> events;      // "cpu-cycles" -> "event=0x3c"
    std::vector<NamedText> caps;        // "max_precise" -> "3"
};

// What CPUID says a PMU would look like. A VMM can leave these bits in without a PMU behind them.
struct AdvertisedPmu {
    Fact<std::string> kind;  // "arch_perfmon", "amd_core", "amd_perfmon_v2", "amd_legacy", "none"
    std::optional<int> version;
    std::optional<int> general_counters;
    std::optional<int> general_width_bits;
    std::optional<int> fixed_counters;
    std::optional<int> fixed_width_bits;
};

struct EventSources {
    Fact<bool> readable;
    std::vector<EventSource> sources;
    AdvertisedPmu advertised;

    const EventSource* find(std::string_view name) const;
    // The first source that counts on CPU cores; null when the kernel drives no PMU.
    const EventSource* cpu() const;
};

EventSources read_event_sources(const base::SysRoot& root, const Cpuid& cpuid);

// The sources alone, with name, type and CPUs but without what lies in their folders: quick on
// machines with hundreds of uncore PMUs.
std::vector<EventSource> list_event_sources(const base::SysRoot& root);

}  // namespace ringside::platform
