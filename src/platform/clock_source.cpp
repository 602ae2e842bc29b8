#include "platform/clock_source.h"

#include <fmt/format.h>

#include "base/text.h"
#include "platform/readers.h"
#include "proc/stat.h"

namespace ringside::platform {

namespace {

constexpr const char* current_path =
    "/sys/devices/system/clocksource/clocksource0/current_clocksource";
constexpr const char* available_path =
    "/sys/devices/system/clocksource/clocksource0/available_clocksource";

// KVM's feature leaf (Documentation/virt/kvm/x86/cpuid.rst): one above its signature, wherever the
// VMM put that.
std::optional<CpuidRegs> read_kvm_features(const Cpuid& cpuid) {
    for (const auto& signature : hypervisor_signatures(cpuid)) {
        if (signature.text.starts_with("KVMKVMKVM")) return cpuid.read(signature.base + 1);
    }
    return std::nullopt;
}

constexpr std::uint32_t kvm_clock_bits = (1u << 0) | (1u << 3);
constexpr std::uint32_t kvm_steal_bit = 1u << 5;

Fact<bool> read_tsc_invariant(const Cpuid& cpuid, const CpuModel& cpu) {
    if (cpu.arch == Arch::arm64) {
        return known(true, "arm64 generic timer", "constant rate by architecture");
    }
    if (const auto regs = cpuid.read(0x80000007)) {
        const bool invariant = ((regs->edx >> 8) & 1) != 0;
        return known(invariant, "cpuid 0x80000007 edx[8]", invariant ? "1" : "0");
    }
    if (cpu.flags.empty()) return unknown<bool>("/proc/cpuinfo flags", "not there");
    const bool invariant = cpu.has_flag("constant_tsc") && cpu.has_flag("nonstop_tsc");
    return known(invariant, "/proc/cpuinfo flags", "constant_tsc and nonstop_tsc");
}

Fact<bool> read_pvclock(const std::vector<std::string>& available, const Cpuid& cpuid) {
    for (const auto& name : available) {
        if (name == "kvm-clock" || name == "xen" || name.starts_with("hyperv_clocksource")) {
            return known(true, available_path, name);
        }
    }
    if (const auto features = read_kvm_features(cpuid)) {
        const bool offered = (features->eax & kvm_clock_bits) != 0;
        return known(offered, "KVM feature leaf eax[0], eax[3]",
                     fmt::format("{:#x}", features->eax));
    }
    if (available.empty()) {
        return unknown<bool>(available_path, "cannot be read");
    }
    return known(false, available_path, "no paravirtual clock listed");
}

// CPUID 0x15 gives the TSC as a ratio of a crystal's frequency; where that is left out, the base
// frequency of leaf 0x16 is what the TSC runs at (Intel SDM vol. 3B, nominal TSC frequency).
// 0x40000010 is a convention of VMware's that KVM clouds follow: EAX is the TSC in kHz.
Fact<std::uint64_t> read_counter_hz(const Cpuid& cpuid) {
    const auto first = cpuid.read(0x40000000);
    const auto timing = cpuid.read(0x40000010);
    if (first && timing && first->eax >= 0x40000010 && first->eax < 0x40000100 &&
        timing->eax != 0) {
        return known(std::uint64_t{timing->eax} * 1000, "cpuid 0x40000010",
                     fmt::format("{} kHz", timing->eax));
    }
    const auto ratio = cpuid.read(0x15);
    if (ratio && ratio->eax != 0 && ratio->ebx != 0 && ratio->ecx != 0) {
        return known(std::uint64_t{ratio->ecx} * ratio->ebx / ratio->eax, "cpuid 0x15",
                     fmt::format("{} Hz * {} / {}", ratio->ecx, ratio->ebx, ratio->eax));
    }
    const auto base_mhz = cpuid.read(0x16);
    if (ratio && ratio->ebx != 0 && base_mhz && base_mhz->eax != 0) {
        return known(std::uint64_t{base_mhz->eax} * 1'000'000, "cpuid 0x16",
                     fmt::format("base frequency {} MHz", base_mhz->eax), true);
    }
    return unknown<std::uint64_t>("cpuid 0x15, 0x40000010", "advertise no frequency");
}

Fact<std::uint64_t> read_cpu_hz(const base::SysRoot& root, const CpuModel& cpu) {
    const auto khz = read_int(root, "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    if (!khz.value || *khz.value <= 0) return cpu.current_hz;
    return {static_cast<std::uint64_t>(*khz.value) * 1000, khz.evidence};
}

std::vector<PtpClock> read_ptp(const base::SysRoot& root) {
    const std::string folder = "/sys/class/ptp";
    std::vector<PtpClock> clocks;
    for (const auto& device : root.list(folder).value_or({})) {
        const auto name = read_line(root, fmt::format("{}/{}/clock_name", folder, device));
        if (!name.value) continue;
        const bool of_host =
            *name.value == "KVM virtual PTP" || *name.value == "hyperv" || *name.value == "ptp_vmw";
        clocks.push_back({device, *name.value, of_host});
    }
    return clocks;
}

Fact<bool> steal_by_hypervisor(const Cpuid& cpuid, const Hypervisor& hypervisor) {
    if (hypervisor.virtualized.value == false) {
        return known(false, hypervisor.virtualized.evidence.source, "no hypervisor to steal");
    }
    if (const auto features = read_kvm_features(cpuid)) {
        const bool offered = (features->eax & kvm_steal_bit) != 0;
        return known(offered, "KVM feature leaf eax[5]", fmt::format("{:#x}", features->eax));
    }
    if (hypervisor.name == "xen") return known(true, "Xen", "run states are part of its interface");
    return unknown<bool>("/proc/stat", "steal is 0 so far, and nothing says whether it can grow");
}

Fact<bool> read_steal_reported(const base::SysRoot& root, const Cpuid& cpuid,
                               const Hypervisor& hypervisor) {
    const auto stat = proc::read_stat(root);
    if (stat && stat->total.steal > 0) {
        return known(true, "/proc/stat", fmt::format("{} ticks of steal", stat->total.steal));
    }
    const auto cmdline = root.read("/proc/cmdline").value_or("");
    for (const auto word : base::split_words(cmdline)) {
        if (word == "no-steal-acc") return known(false, "/proc/cmdline", "no-steal-acc");
    }
    return steal_by_hypervisor(cpuid, hypervisor);
}

}  // namespace

ClockSource read_clock_source(const base::SysRoot& root, const Cpuid& cpuid, const CpuModel& cpu,
                              const Hypervisor& hypervisor) {
    ClockSource clock;
    clock.current = read_line(root, current_path);
    const auto available = read_line(root, available_path).value.value_or("");
    for (const auto name : base::split_words(available)) clock.available.emplace_back(name);
    clock.tsc_invariant = read_tsc_invariant(cpuid, cpu);
    clock.pvclock = read_pvclock(clock.available, cpuid);
    clock.counter_hz = read_counter_hz(cpuid);
    clock.cpu_hz = read_cpu_hz(root, cpu);
    clock.ptp = read_ptp(root);
    clock.steal_reported = read_steal_reported(root, cpuid, hypervisor);
    return clock;
}

}  // namespace ringside::platform
