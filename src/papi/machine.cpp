#include "papi/machine.h"

#include <algorithm>
#include <array>
#include <climits>

#include <ringside/clocks.h>

#include "base/text.h"
#include "papi/caches.h"
#include "papi/text.h"

namespace ringside::papi {

namespace {

using platform::Arch;
using platform::Machine;

int vendor_code(const platform::CpuModel& cpu) {
    const auto vendor = cpu.vendor.value.value_or("");
    if (vendor == "GenuineIntel") return PAPI_VENDOR_INTEL;
    if (vendor == "AuthenticAMD" || vendor == "HygonGenuine") return PAPI_VENDOR_AMD;
    // The implementer of an arm64 CPU is PAPI's code for it.
    if (cpu.arch == Arch::arm64 && vendor.starts_with("0x")) {
        return static_cast<int>(
            base::parse_u64(std::string_view(vendor).substr(2), 16).value_or(PAPI_VENDOR_ARM));
    }
    return PAPI_VENDOR_UNKNOWN;
}

void describe_cpu(const platform::CpuModel& cpu, PAPI_hw_info_t& info) {
    const bool arm = cpu.arch == Arch::arm64;
    const auto vendor = cpu.vendor.value.value_or("unknown");
    const auto name = cpu.name.value.value_or("unknown");
    info.vendor = vendor_code(cpu);
    copy_text(info.vendor_string, arm ? "ARM implementer " + vendor : vendor);
    copy_text(info.model_string, arm ? "ARM part " + name : name);
    info.cpuid_family = cpu.family.value_or(0);
    info.cpuid_model = info.model = cpu.model.value_or(0);
    info.cpuid_stepping = cpu.stepping.value_or(0);
    info.revision = static_cast<float>(info.cpuid_stepping);
}

void describe_topology(const platform::Topology& topology, PAPI_hw_info_t& info) {
    info.totalcpus = std::max(1, static_cast<int>(topology.online.size()));
    info.sockets = topology.sockets.value.value_or(1);
    info.nnodes = topology.numa_nodes.value.value_or(1);
    const int cores = topology.cores.value.value_or(info.totalcpus);
    info.cores = std::max(1, cores / std::max(1, info.sockets));
    info.threads = std::max(1, info.totalcpus / std::max(1, cores));
    info.ncpu = std::max(1, info.totalcpus / std::max(1, info.nnodes));
}

std::optional<int> mhz_in(const base::SysRoot& root, std::string_view file) {
    const auto text =
        root.read_trimmed("/sys/devices/system/cpu/cpu0/cpufreq/" + std::string(file));
    if (!text) return std::nullopt;
    const auto khz = base::parse_u64(*text);
    return khz ? std::optional(static_cast<int>(*khz / 1000)) : std::nullopt;
}

// Where nobody tells the frequency of the core, that of the counter which PAPI_get_real_cyc()
// reads.
int present_mhz(const platform::CpuModel& cpu) {
    const double hz =
        cpu.current_hz.value ? static_cast<double>(*cpu.current_hz.value) : cycle_rate().hz;
    return static_cast<int>(hz / 1e6);
}

void describe_clock(const Machine& machine, const base::SysRoot& root, PAPI_hw_info_t& info) {
    const auto most = mhz_in(root, "cpuinfo_max_freq");
    const auto least = mhz_in(root, "cpuinfo_min_freq");
    info.cpu_max_mhz = most ? *most : present_mhz(machine.cpu);
    info.cpu_min_mhz = least ? *least : info.cpu_max_mhz;
    info.mhz = static_cast<float>(info.cpu_max_mhz);
    info.clock_mhz = info.cpu_max_mhz;
}

void describe_hypervisor(const platform::Hypervisor& hypervisor, PAPI_hw_info_t& info) {
    info.virtualized = hypervisor.virtualized.value.value_or(false) ? 1 : 0;
    if (info.virtualized == 0) return;
    copy_text(info.virtual_vendor_string, hypervisor.name);
    const bool known = hypervisor.vmm != "unknown" && hypervisor.vmm != "none";
    copy_text(info.virtual_vendor_version, known ? hypervisor.vmm : "");
}

}  // namespace

PAPI_hw_info_t describe_hardware(const Machine& machine, const base::SysRoot& root) {
    PAPI_hw_info_t info{};
    describe_cpu(machine.cpu, info);
    describe_topology(machine.topology, info);
    describe_clock(machine, root, info);
    describe_hypervisor(machine.hypervisor, info);
    info.mem_hierarchy = read_caches(root);
    return info;
}

PAPI_hw_info_t& hardware_info() {
    static PAPI_hw_info_t info = describe_hardware(platform::describe(), base::SysRoot());
    return info;
}

}  // namespace ringside::papi
