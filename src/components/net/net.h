// Network interfaces: the kernel's 64-bit counters, uncached, what the driver counts besides, and
// what kind of device each interface is.
//
//   eth0:rx:bytes   eth0:tx:packets   ...   eth0:driver:rx_queue_0_packets   ...
//
// A set whose target is a thread or process counts in that one's network namespace, any other in
// the caller's.
#pragma once

#include <string>
#include <vector>

#include "base/sys_root.h"
#include "session/component.h"

namespace ringside::components::net {

session::ComponentPtr make(const base::SysRoot& root);

// The names in a text like /proc/net/dev.
std::vector<std::string> parse_interface_names(std::string_view text);

}  // namespace ringside::components::net
