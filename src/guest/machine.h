// From a kind to the command line of the QEMU that is it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "guest/hypervisor.h"
#include "guest/kinds.h"

namespace ringside::guest {

// One way out of a machine: what the init script writes to the port `name` lands in `path`.
struct Port {
    std::string name;
    std::string path;
    std::string copy_path;  // a second file that gets the same bytes, or empty
    // It can also be written to: then `path`.in and `path`.out are two pipes.
    bool both_ways = false;
};

struct MachineSpec {
    Kind kind;
    std::string accelerator;  // "tcg", "kvm", or empty where the kind's machine names one
    std::string kernel;
    std::string initrd;
    std::string console;  // the file the kernel's console goes to
    std::vector<Port> ports;
    // Booted instead of the kernel, which it finds in memory; its manifest is a file by now.
    std::optional<HypervisorPlan> hypervisor;
    std::string manifest;
    std::vector<std::string> soft_pmu;  // QEMU's arguments for it, where there is one
    bool share_root = false;  // lend it the files of the machine that runs it, under the tag "host"
    bool terminal = false;    // QEMU's own input and output are a console of it (hvc0)
};

// `text` as a value among QEMU's options: a comma would end it, and QEMU takes two for one.
std::string option_value(std::string_view text);

// The kernel's command line.
std::string kernel_arguments(const Kind& kind);

std::vector<std::string> qemu_arguments(const MachineSpec& spec);

}  // namespace ringside::guest
