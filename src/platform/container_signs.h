// Everything in a process's view of its system that may name a container runtime.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sys_root.h"
#include "platform/fact.h"
#include "platform/identity.h"

namespace ringside::platform {

// `unread` receives what could not be looked at, with the reason.
std::vector<Observation> observe_container(const base::SysRoot& root,
                                           std::vector<Evidence>& unread);

// The value of "container=" in a NUL-separated environment.
std::optional<std::string> parse_container_variable(std::string_view environ);

struct RootMount {
    std::string root;     // the part of the file system that is mounted
    std::string type;     // "overlay", "ext4"
    std::string source;   // "/dev/vda"
    std::string options;  // of the file system: "rw,lowerdir=..."
};

// The line of /proc/PID/mountinfo (proc(5)) for "/"; the last one, since mounts stack.
std::optional<RootMount> parse_root_mount(std::string_view mountinfo);

// The paths of /proc/PID/cgroup, version 1 and 2.
std::vector<std::string> parse_cgroup_paths(std::string_view cgroup);

}  // namespace ringside::platform
