// What runs this machine: the hypervisor that schedules it, and the VMM that gives it devices.
#pragma once

#include <string>
#include <vector>

#include "base/sys_root.h"
#include "platform/cpu_model.h"
#include "platform/cpuid.h"
#include "platform/fact.h"

namespace ringside::platform {

struct Hypervisor {
    // "kvm", "xen", "vmware", "hyperv", "virtualbox", "bhyve", "tcg", "parallels", "acrn", ...;
    // "none" on bare metal; "unknown" when it is virtual and nothing says more, or nothing is
    // known.
    std::string name = "unknown";
    // "qemu", "firecracker", "cloud-hypervisor", "aws-nitro", "gce", "azure", ...; "none",
    // "unknown".
    std::string vmm = "unknown";
    // Xen only: "pv", "hvm" or "pvh"; else empty.
    std::string mode;
    // How it shares the PMU, where it says so, as Ringside's own does: "mediated", "legacy", ...;
    // else empty.
    std::string pmu_policy;
    Fact<bool> virtualized;
    // Hypervisors some evidence names besides `name`: an interface it also offers (Hyper-V under
    // KVM), a layer further below, or a contradiction.
    std::vector<std::string> also_named;
    // Everything that was seen, strongest first.
    std::vector<Evidence> evidence;
};

Hypervisor read_hypervisor(const base::SysRoot& root, const Cpuid& cpuid, const CpuModel& cpu);

}  // namespace ringside::platform
