// The page on which a hypervisor that embeds src/vpmu tells its guest the truth about counters:
// where to find it, and which counters it calls starved. The page is input, written by a stranger.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/sys_root.h"
#include "trust/report.h"

namespace ringside::trust {

// `file` if it is not empty; else what driver/ shows of our hypervisor's page, or the memory of the
// first ivshmem device (PCI 1af4:1110, BAR 2) that holds such a page. A report without a source
// says why.
PageReport examine_page(const base::SysRoot& root, const std::string& file);

// What the bytes say; `bytes` is aligned for 8. Any bytes will do.
PageReport read_page(std::span<const std::byte> bytes);

}  // namespace ringside::trust
