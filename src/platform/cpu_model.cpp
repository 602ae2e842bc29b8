#include "platform/cpu_model.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.h"
#include "platform/readers.h"

namespace ringside::platform {

namespace {

constexpr const char* cpuinfo_path = "/proc/cpuinfo";
// Room for the first CPU's part. The kernel asks every CPU it prints for its frequency, so reading
// all of it disturbs and takes long on a large machine.
constexpr std::size_t first_cpu_bytes = 16384;

Fact<std::string> field(std::string_view cpuinfo, std::string_view key) {
    const auto value = base::find_field(cpuinfo, key);
    const std::string source = std::string(cpuinfo_path) + " " + std::string(key);
    if (!value || value->empty()) return unknown<std::string>(source, "not there");
    if (!printable(*value)) return unknown<std::string>(source, "is not text: " + shown(*value));
    return known(std::string(*value), source, shown(*value));
}

std::optional<int> number(std::string_view cpuinfo, std::string_view key) {
    const auto value = base::find_field(cpuinfo, key);
    const auto parsed = value ? base::parse_u64(*value) : std::nullopt;
    if (!parsed || *parsed > std::numeric_limits<int>::max()) return std::nullopt;
    return static_cast<int>(*parsed);
}

std::string flags_of(std::string_view cpuinfo, std::string_view key) {
    const auto value = base::find_field(cpuinfo, key);
    return value && printable(*value) ? std::string(*value) : std::string();
}

Fact<std::uint64_t> parse_mhz(const Fact<std::string>& text) {
    if (!text.value) return {std::nullopt, text.evidence};
    double mhz = 0;
    const char* end = text.value->data() + text.value->size();
    const auto [stop, error] =
        std::from_chars(text.value->data(), end, mhz, std::chars_format::fixed);
    if (error != std::errc{} || stop != end || !(mhz > 0 && mhz < 1e6)) {
        return unknown<std::uint64_t>(text.evidence.source, "no frequency: " + text.evidence.text);
    }
    return {static_cast<std::uint64_t>(mhz * 1e6), text.evidence};
}

}  // namespace

bool CpuModel::has_flag(std::string_view flag) const {
    const auto words = base::split_words(flags);
    return std::find(words.begin(), words.end(), flag) != words.end();
}

CpuModel parse_cpuinfo(std::string_view cpuinfo) {
    CpuModel cpu;
    if (base::find_field(cpuinfo, "CPU implementer")) {
        cpu.arch = Arch::arm64;
        cpu.vendor = field(cpuinfo, "CPU implementer");
        cpu.name = field(cpuinfo, "CPU part");
        cpu.flags = flags_of(cpuinfo, "Features");
        cpu.current_hz = unknown<std::uint64_t>(cpuinfo_path, "names no frequency on arm64");
        return cpu;
    }
    if (base::find_field(cpuinfo, "vendor_id")) cpu.arch = Arch::x86;
    cpu.vendor = field(cpuinfo, "vendor_id");
    cpu.name = field(cpuinfo, "model name");
    cpu.family = number(cpuinfo, "cpu family");
    cpu.model = number(cpuinfo, "model");
    cpu.stepping = number(cpuinfo, "stepping");
    cpu.flags = flags_of(cpuinfo, "flags");
    cpu.current_hz = parse_mhz(field(cpuinfo, "cpu MHz"));
    return cpu;
}

CpuModel read_cpu_model(const base::SysRoot& root) {
    const auto text = root.read(cpuinfo_path, first_cpu_bytes);
    if (text) return parse_cpuinfo(*text);
    CpuModel cpu;
    cpu.vendor = unknown<std::string>(cpuinfo_path, text.error().what);
    cpu.name = cpu.vendor;
    cpu.current_hz = {std::nullopt, cpu.vendor.evidence};
    return cpu;
}

std::string_view event_line(const CpuModel& cpu) {
    if (cpu.arch == Arch::arm64) return "arm64";
    const std::string vendor = cpu.vendor.value.value_or("");
    if (vendor == "GenuineIntel") return "intel";
    if (vendor == "AuthenticAMD" || vendor == "HygonGenuine") return "amd";
    return {};
}

}  // namespace ringside::platform
