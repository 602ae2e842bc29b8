// Which container runtime, if any, stands between this process and its kernel.
#pragma once

#include <string>
#include <vector>

#include "base/sys_root.h"
#include "platform/fact.h"

namespace ringside::platform {

struct Container {
    // "docker", "podman", "containerd", "lxc", "systemd-nspawn", ... or "none".
    std::string runtime = "none";
    std::string orchestrator;  // "kubernetes" or empty
    // Strongest first. With "none": what was looked at and could not be read.
    std::vector<Evidence> evidence;
};

Container read_container(const base::SysRoot& root);

}  // namespace ringside::platform
