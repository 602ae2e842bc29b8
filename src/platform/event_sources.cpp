#include "platform/event_sources.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "platform/readers.h"

namespace ringside::platform {

namespace {

constexpr const char* devices = "/sys/bus/event_source/devices";

std::vector<NamedText> read_folder(const base::SysRoot& root, const std::string& folder) {
    std::vector<NamedText> all;
    for (const auto& name : root.list(folder).value_or({})) {
        auto line = read_line(root, fmt::format("{}/{}", folder, name));
        if (line.value && printable(name)) all.push_back({name, std::move(*line.value)});
    }
    return all;
}

// "cpl_cycles.scale", "energy.unit" and "energy.snapshot" describe an event; they are none.
bool describes_another(const NamedText& file) {
    return file.name.ends_with(".scale") || file.name.ends_with(".unit") ||
           file.name.ends_with(".snapshot");
}

// PMUs of CPU cores have a "cpus" file where there can be several kinds of core (arm64, hybrid x86)
// and are called "cpu" elsewhere; PMUs of anything shared have a "cpumask".
EventSource read_heading(const base::SysRoot& root, const std::string& name) {
    const auto folder = fmt::format("{}/{}", devices, name);
    EventSource source;
    source.name = name;
    const auto type = read_int(root, folder + "/type");
    if (type.value && *type.value >= 0) source.type = static_cast<std::uint32_t>(*type.value);
    const auto cpus = read_line(root, folder + "/cpus");
    const auto mask = read_line(root, folder + "/cpumask");
    source.cpus = cpus.value.value_or(mask.value.value_or(""));
    source.is_cpu = name == "cpu" || cpus.value.has_value();
    return source;
}

EventSource read_source(const base::SysRoot& root, const std::string& name) {
    const auto folder = fmt::format("{}/{}", devices, name);
    EventSource source = read_heading(root, name);
    source.rdpmc = read_int(root, folder + "/rdpmc").value;
    source.formats = read_folder(root, folder + "/format");
    source.events = read_folder(root, folder + "/events");
    std::erase_if(source.events, describes_another);
    source.caps = read_folder(root, folder + "/caps");
    return source;
}

int bits(std::uint32_t value, int low, int count) {
    return static_cast<int>((value >> low) & ((1u << count) - 1));
}

// Intel SDM vol. 2A, CPUID leaf 0xA.
bool read_arch_perfmon(const Cpuid& cpuid, AdvertisedPmu& pmu) {
    const auto regs = cpuid.read(0xa);
    if (!regs || bits(regs->eax, 0, 8) == 0) return false;
    pmu.kind = known<std::string>("arch_perfmon", "cpuid 0xa",
                                  fmt::format("eax {:#x} edx {:#x}", regs->eax, regs->edx));
    pmu.version = bits(regs->eax, 0, 8);
    pmu.general_counters = bits(regs->eax, 8, 8);
    pmu.general_width_bits = bits(regs->eax, 16, 8);
    pmu.fixed_counters = bits(regs->edx, 0, 5);
    pmu.fixed_width_bits = bits(regs->edx, 5, 8);
    return true;
}

// AMD APM vol. 3, CPUID Fn8000_0022 (PerfMonV2) and Fn8000_0001 ECX[23] (six core counters). Older
// and stripped AMD processors are assumed by Linux to have four.
void read_amd(const Cpuid& cpuid, AdvertisedPmu& pmu) {
    const auto v2 = cpuid.read(0x80000022);
    const auto extended = cpuid.read(0x80000001);
    if (v2 && (v2->eax & 1) != 0) {
        pmu.kind = known<std::string>("amd_perfmon_v2", "cpuid 0x80000022",
                                      fmt::format("eax {:#x} ebx {:#x}", v2->eax, v2->ebx));
        pmu.version = 2;
        pmu.general_counters = bits(v2->ebx, 0, 4);
    } else if (extended && bits(extended->ecx, 23, 1) != 0) {
        pmu.kind = known<std::string>("amd_core", "cpuid 0x80000001 ecx[23]", "1");
        pmu.general_counters = 6;
    } else {
        pmu.kind = known<std::string>("none", "cpuid 0x80000001 ecx[23]", "0");
    }
}

AdvertisedPmu read_advertised(const Cpuid& cpuid) {
    AdvertisedPmu pmu;
    if (!cpuid.readable()) {
        pmu.kind = unknown<std::string>("cpuid", "not readable here");
        return pmu;
    }
    if (read_arch_perfmon(cpuid, pmu)) return pmu;
    const auto vendor = cpuid.read(0);
    const bool is_amd = vendor && (vendor->ebx == 0x68747541 ||  // "Auth"enticAMD
                                   vendor->ebx == 0x6f677948);   // "Hygo"nGenuine
    if (is_amd) {
        read_amd(cpuid, pmu);
    } else {
        pmu.kind = known<std::string>("none", "cpuid 0xa", "version 0");
    }
    return pmu;
}

}  // namespace

const EventSource* EventSources::find(std::string_view name) const {
    const auto found = std::find_if(sources.begin(), sources.end(),
                                    [&](const EventSource& each) { return each.name == name; });
    return found == sources.end() ? nullptr : &*found;
}

const EventSource* EventSources::cpu() const {
    const auto found = std::find_if(sources.begin(), sources.end(),
                                    [](const EventSource& each) { return each.is_cpu; });
    return found == sources.end() ? nullptr : &*found;
}

EventSources read_event_sources(const base::SysRoot& root, const Cpuid& cpuid) {
    EventSources all;
    all.advertised = read_advertised(cpuid);
    const auto names = root.list(devices);
    if (!names) {
        all.readable = known(false, devices, names.error().what);
        return all;
    }
    all.readable = known(true, devices, fmt::format("{} sources", names->size()));
    for (const auto& name : *names) {
        if (printable(name)) all.sources.push_back(read_source(root, name));
    }
    return all;
}

std::vector<EventSource> list_event_sources(const base::SysRoot& root) {
    std::vector<EventSource> all;
    for (const auto& name : root.list(devices).value_or({})) {
        if (printable(name)) all.push_back(read_heading(root, name));
    }
    return all;
}

}  // namespace ringside::platform
