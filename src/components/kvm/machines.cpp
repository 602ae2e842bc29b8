#include "components/kvm/machines.h"

#include <cerrno>

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "proc/task.h"

namespace ringside::components::kvm {

namespace {

// The number behind `prefix`.
std::optional<int> number_after(std::string_view text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return std::nullopt;
    const auto number = base::parse_u64(text.substr(prefix.size()));
    if (!number || *number > 1u << 20) return std::nullopt;
    return static_cast<int>(*number);
}

// KVM names its anonymous files, and /proc shows the names.
void add_descriptor(Vmm& vmm, int fd, const std::string& link) {
    if (link == "anon_inode:kvm-vm") ++vmm.machines;
    if (link == "anon_inode:kvm-vm-stats") vmm.vm_stats.push_back(fd);
    if (const auto cpu = number_after(link, "anon_inode:kvm-vcpu:")) vmm.vcpus.push_back(*cpu);
    if (const auto cpu = number_after(link, "anon_inode:kvm-vcpu-stats:")) {
        vmm.vcpu_stats.emplace(*cpu, fd);
    }
}

// Folders are called PID-FD, after the process and its descriptor of the VM.
void add_debug_folders(const base::SysRoot& root, Vmm& vmm) {
    for (const auto& name : root.list(debug_folder).value_or({})) {
        const auto dash = name.find('-');
        if (dash == std::string::npos || number_after(name.substr(0, dash), "") != vmm.pid)
            continue;
        vmm.debug.push_back(fmt::format("{}/{}", debug_folder, name));
    }
}

}  // namespace

Result<Vmm> find_vmm(const base::SysRoot& root, int pid) {
    Vmm vmm;
    vmm.pid = pid;
    const auto folder = fmt::format("/proc/{}/fd", pid);
    const auto names = root.list(folder);
    if (!names) return names.error();
    for (const auto& name : *names) {
        const auto fd = number_after(name, "");
        const auto link = root.read_link(folder + "/" + name);
        if (fd && link) add_descriptor(vmm, *fd, *link);
    }
    if (vmm.machines == 0) {
        return base::fail(ErrorCode::not_found,
                          fmt::format("process {} runs no virtual machine", pid));
    }
    vmm.name = proc::read_name(root, pid).value_or("");
    add_debug_folders(root, vmm);
    return vmm;
}

std::vector<Vmm> find_vmms(const base::SysRoot& root) {
    std::vector<Vmm> found;
    for (const pid_t pid : proc::list_processes(root).value_or({})) {
        auto vmm = find_vmm(root, pid);
        if (vmm) found.push_back(std::move(*vmm));
    }
    return found;
}

Result<base::Fd> copy_descriptor(int pid, int fd) {
    const auto process = proc::open_pidfd(pid);
    if (!process) return process.error();
    base::Fd copy(static_cast<int>(::syscall(SYS_pidfd_getfd, process->get(), fd, 0)));
    if (!copy) {
        return base::fail_errno(errno, fmt::format("cannot share a descriptor of process {}", pid),
                                "run as root, or with CAP_SYS_PTRACE");
    }
    return copy;
}

}  // namespace ringside::components::kvm
