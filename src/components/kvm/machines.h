// The virtual machines that run on this host, and where their statistics are to be had.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "base/fd.h"
#include "base/sys_root.h"

namespace ringside::components::kvm {

// A process that runs virtual machines, usually one.
struct Vmm {
    int pid = 0;
    std::string name;                // "qemu-system-x86"
    int machines = 0;                // VMs it holds
    std::vector<int> vcpus;          // numbers of the vCPUs it holds
    std::vector<int> vm_stats;       // its descriptors of statistics files of VMs
    std::map<int, int> vcpu_stats;   // likewise of vCPUs, by number
    std::vector<std::string> debug;  // its VMs' folders in debugfs
};

constexpr const char* debug_folder = "/sys/kernel/debug/kvm";

// Those whose descriptors we may list.
std::vector<Vmm> find_vmms(const base::SysRoot& root);
Result<Vmm> find_vmm(const base::SysRoot& root, int pid);

// A copy of another process's descriptor; needs the permission to trace that process.
Result<base::Fd> copy_descriptor(int pid, int fd);

}  // namespace ringside::components::kvm
