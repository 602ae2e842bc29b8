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
    std::string copy_path{};  // a second file that gets the same bytes, or empty
    int socket = -1;          // instead of `path`, for a port that can be written to, too
};

// A descriptor that QEMU inherits, for its user may not open what is behind it. What it is shows
// in the command line.
struct LentFd {
    int fd = -1;
    std::string what;
};

// Where QEMU has one of its own options take such a descriptor. It opens files anew, for which its
// user must be allowed to read them, and pipes not.
std::string lent_file(int fd);
std::string lent_pipe(int fd);

struct MachineSpec {
    Kind kind;
    std::string accelerator;  // "tcg", "kvm", or empty where the kind's machine names one
    std::string kernel;
    std::string initrd;
    std::string console;  // the file the kernel's console goes to
    std::vector<LentFd> lent_fds{};
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
