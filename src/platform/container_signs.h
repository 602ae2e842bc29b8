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

}  // namespace ringside::platform
