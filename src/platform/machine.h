// Everything reading can tell about a machine, in one struct. Nothing here opens an event, creates
// a VM or measures time: that is src/trust and src/clocks.
#pragma once

#include <string>
#include <vector>

#include "base/sys_root.h"
#include "platform/clock_source.h"
#include "platform/container.h"
#include "platform/cpu_model.h"
#include "platform/cpuid.h"
#include "platform/event_sources.h"
#include "platform/fact.h"
#include "platform/hypervisor.h"
#include "platform/kvm_host.h"
#include "platform/permissions.h"
#include "platform/topology.h"

namespace ringside::platform {

// One thing between a program and the hardware, outermost first in Machine::layers.
struct Layer {
    std::string kind;    // "vm" or "container"
    std::string name;    // "kvm", "docker"
    std::string detail;  // "vmm firecracker", may be empty
};

struct Machine {
    Fact<std::string> kernel_release;
    CpuModel cpu;
    Hypervisor hypervisor;
    Container container;
    std::vector<Layer> layers;  // empty on bare metal
    KvmHost kvm_host;
    // A guest that was given the means (svm, vmx or a /dev/kvm) to run guests of its own.
    Fact<bool> nesting_offered;
    Topology topology;
    ClockSource clock;
    EventSources event_sources;
    Permissions permissions;
};

// Never fails: what cannot be read is unknown, with the reason. Takes a few milliseconds.
Machine describe(const base::SysRoot& root, const Cpuid& cpuid);
// With the CPUID that belongs to the root.
Machine describe(const base::SysRoot& root = {});

}  // namespace ringside::platform
