#include "guest/machine.h"

#include <fmt/format.h>

namespace ringside::guest {

namespace {

using Arguments = std::vector<std::string>;

void add(Arguments& to, const Arguments& more) {
    to.insert(to.end(), more.begin(), more.end());
}

// To append is all that can be done to a pipe; what else QEMU opens a file for is to cut it short.
std::string file_device(const std::string& id, const std::string& path) {
    return fmt::format("file,id={},path={},append=on", id, option_value(path));
}

void add_ports(Arguments& argv, const std::vector<Port>& ports) {
    // Without ioeventfd a write is done when the instruction that asked for it is, so that it takes
    // the same virtual time in every run.
    add(argv, {"-device", "virtio-serial-pci,max_ports=16,ioeventfd=off"});
    for (const auto& port : ports) {
        std::string chardev = port.socket >= 0
                                  ? fmt::format("socket,id={},fd={}", port.name, port.socket)
                                  : file_device(port.name, port.path);
        if (!port.copy_path.empty()) chardev += ",logfile=" + option_value(port.copy_path);
        add(argv, {"-chardev", chardev, "-device",
                   fmt::format("virtserialport,chardev={0},name={0}", port.name)});
    }
}

// System calls that it does not need are refused: programs, above all. Zeros are the exception
// (below): a program gives them, and begins with setsid(), which is refused with those that raise
// privileges. There are none to be raised to (rights.h).
void add_sandbox(Arguments& argv, const Kind& kind) {
    const bool starts_program = !kind.nic.empty() && !kind.network;
    add(argv, {"-sandbox", fmt::format("on,obsolete=deny,elevateprivileges={0},spawn={0},"
                                       "resourcecontrol=deny",
                                       starts_program ? "allow" : "deny")});
}

// A network of its own, with nothing behind it: a guest that connects to 10.0.2.100, port 9, is
// sent zeros until it has enough.
constexpr const char* closed_network =
    "user,id=net0,restrict=on,guestfwd=tcp:10.0.2.100:9-cmd:cat /dev/zero";

void add_network(Arguments& argv, const Kind& kind) {
    std::string network = kind.network ? "user,id=net0" : closed_network;
    if (kind.forward) {
        network +=
            fmt::format(",hostfwd=tcp:127.0.0.1:{}-:{}", kind.forward->here, kind.forward->there);
    }
    add(argv, {"-netdev", network, "-device", kind.nic + ",netdev=net0,romfile="});
}

// By their names all files of this machine, of which QEMU can open those that are shared
// (rights.h). Whatever the guest does, nothing here is written: QEMU itself refuses it. File
// systems that are mounted in others get inode numbers that do not collide.
void add_root(Arguments& argv) {
    add(argv, {"-fsdev", "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap",
               "-device", "virtio-9p-pci,fsdev=host,mount_tag=host"});
}

// Virtual time follows the instructions executed, and nothing of this machine's clock or entropy
// reaches the guest.
void add_determinism(Arguments& argv, int shift) {
    add(argv, {"-icount", fmt::format("shift={},sleep=off", shift), "-seed", "1", "-rtc",
               "base=2024-01-01T00:00:00,clock=vm"});
}

// The hypervisor finds kernel, initrd and manifest in memory (hyp/platform/virt.h).
void add_hypervisor(Arguments& argv, const MachineSpec& spec) {
    constexpr std::uint64_t manifest_address = 0x40100000;
    const auto load = [&](const std::string& path, std::uint64_t address) {
        add(argv, {"-device", fmt::format("loader,file={},addr={:#x},force-raw=on",
                                          option_value(path), address)});
    };
    add(argv, {"-kernel", spec.hypervisor->image});
    for (const auto& file : spec.hypervisor->files) load(file.path, file.address);
    load(spec.manifest, manifest_address);
}

void add_kernel(Arguments& argv, const MachineSpec& spec) {
    if (spec.hypervisor) return add_hypervisor(argv, spec);
    add(argv,
        {"-kernel", spec.kernel, "-initrd", spec.initrd, "-append", kernel_arguments(spec.kind)});
}

}  // namespace

std::string option_value(std::string_view text) {
    std::string doubled;
    for (const char c : text) doubled.append(c == ',' ? 2 : 1, c);
    return doubled;
}

std::string lent_file(int fd) {
    return fmt::format("/proc/self/fd/{}", fd);
}

std::string lent_pipe(int fd) {
    return fmt::format("/dev/fdset/{}", fd);
}

std::string kernel_arguments(const Kind& kind) {
    return fmt::format("console={} quiet panic=-1 {}", kind.console, kind.append);
}

Arguments qemu_arguments(const MachineSpec& spec) {
    const Kind& kind = spec.kind;
    Arguments argv{kind.qemu,
                   "-name",
                   fmt::format("{},debug-threads=on", kind.name),
                   "-nodefaults",
                   "-no-user-config",
                   "-no-reboot",
                   "-display",
                   "none"};
    add_sandbox(argv, kind);
    for (const auto& [fd, what] : spec.lent_fds) {
        add(argv, {"-add-fd", fmt::format("fd={0},set={0},opaque={1}", fd, option_value(what))});
    }
    add(argv, {"-machine", kind.machine, "-cpu", kind.cpu, "-smp", std::to_string(kind.smp), "-m",
               std::to_string(kind.memory_mb)});
    if (!spec.accelerator.empty()) add(argv, {"-accel", spec.accelerator});
    if (kind.icount) add_determinism(argv, *kind.icount);
    add(argv, {"-chardev", file_device("console", spec.console), "-serial", "chardev:console"});
    add_kernel(argv, spec);
    if (!kind.nic.empty()) add_network(argv, kind);
    if (spec.share_root) add_root(argv);
    add(argv, spec.soft_pmu);
    add_ports(argv, spec.ports);
    if (spec.terminal) {
        add(argv, {"-chardev", "stdio,id=terminal,signal=off", "-device",
                   "virtconsole,chardev=terminal"});
    }
    return argv;
}

}  // namespace ringside::guest
