// The caches of the first CPU, as the kernel describes them in sysfs.
#pragma once

#include "base/sys_root.h"
#include "papi/abi.h"

namespace ringside::papi {

// Levels are 0 where the kernel says nothing. TLBs are left out: no file describes them, and what
// CPUID says of them inside a guest is the VMM's invention.
PAPI_mh_info_t read_caches(const base::SysRoot& root);

}  // namespace ringside::papi
