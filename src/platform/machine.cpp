#include "platform/machine.h"

#include "platform/readers.h"

namespace ringside::platform {

namespace {

std::vector<Layer> list_layers(const Hypervisor& hypervisor, const Container& container) {
    std::vector<Layer> layers;
    if (hypervisor.virtualized.value.value_or(false)) {
        std::string detail = "vmm " + hypervisor.vmm;
        if (!hypervisor.mode.empty()) detail += ", " + hypervisor.mode;
        layers.push_back({"vm", hypervisor.name, std::move(detail)});
    }
    if (container.runtime != "none") {
        layers.push_back({"container", container.runtime, container.orchestrator});
    }
    return layers;
}

Fact<bool> find_nesting(const Machine& machine) {
    if (!machine.hypervisor.virtualized.value.value_or(false)) {
        return known(false, machine.hypervisor.virtualized.evidence.source,
                     "not known to be a guest");
    }
    for (const std::string flag : {"svm", "vmx"}) {
        if (machine.cpu.has_flag(flag)) return known(true, "/proc/cpuinfo flags", flag);
    }
    return machine.kvm_host.device;
}

}  // namespace

Machine describe(const base::SysRoot& root, const Cpuid& cpuid) {
    Machine machine;
    machine.kernel_release = read_line(root, "/proc/sys/kernel/osrelease");
    machine.cpu = read_cpu_model(root);
    machine.hypervisor = read_hypervisor(root, cpuid, machine.cpu);
    machine.container = read_container(root);
    machine.layers = list_layers(machine.hypervisor, machine.container);
    machine.kvm_host = read_kvm_host(root, machine.cpu);
    machine.nesting_offered = find_nesting(machine);
    machine.topology = read_topology(root);
    machine.clock = read_clock_source(root, cpuid, machine.cpu, machine.hypervisor);
    machine.event_sources = read_event_sources(root, cpuid);
    machine.permissions = read_permissions(root);
    return machine;
}

Machine describe(const base::SysRoot& root) {
    return describe(root, Cpuid::of(root));
}

}  // namespace ringside::platform
