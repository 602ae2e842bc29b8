// Whether this machine offers KVM to others, as far as reading can tell. That /dev/kvm exists does
// not mean that a machine can be made with it: only trying shows that.
#pragma once

#include <string>
#include <vector>

#include "base/sys_root.h"
#include "platform/cpu_model.h"
#include "platform/fact.h"

namespace ringside::platform {

struct KvmHost {
    Fact<bool> device;          // /dev/kvm is there
    Fact<std::string> backend;  // "svm", "vmx", "pvm", "vhe", "nvhe", "protected"
    Fact<bool> vpmu;            // guests may be given counters
    Fact<bool> mediated_pmu;    // counters are handed over on entry, not emulated by host events
    Fact<bool> nested;          // guests may be hosts
    std::vector<Evidence> parameters;  // every readable parameter of the kvm modules
};

KvmHost read_kvm_host(const base::SysRoot& root, const CpuModel& cpu);

}  // namespace ringside::platform
