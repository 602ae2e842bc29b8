// How much memory there is: MemTotal, in the machine or on one of its NUMA nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/sys_root.h"

namespace ringside::proc {

// From /proc/meminfo ("MemTotal:  16303428 kB"), or a node's, where each line begins with "Node 0".
std::optional<std::uint64_t> parse_memory_total_bytes(std::string_view meminfo);

// nullopt when the kernel does not tell.
std::optional<std::uint64_t> memory_total_bytes(const base::SysRoot& root);
std::optional<std::uint64_t> node_memory_total_bytes(const base::SysRoot& root, int node);

}  // namespace ringside::proc
