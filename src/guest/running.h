// Which test VMs run on this machine now, whoever started them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/sys_root.h"

namespace ringside::guest {

struct RunningGuest {
    pid_t pid = 0;
    std::string kind;
    std::string cpus;
    std::string memory_mb;
    std::string accelerator;  // "kvm" or "tcg"
};

// From /proc/PID/cmdline; nullopt where that is no machine of ours.
std::optional<RunningGuest> read_command_line(std::string_view command_line);

std::vector<RunningGuest> running_guests(const base::SysRoot& root);

}  // namespace ringside::guest
