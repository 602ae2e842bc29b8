// The program the library is part of: where its code and data lie, and its memory.
#pragma once

#include "base/sys_root.h"
#include "papi/abi.h"

namespace ringside::papi {

// Both are read anew by each call and stay where they are.
PAPI_exe_info_t& executable_info();
PAPI_shlib_info_t& shared_library_info();

// From /proc/self/status. PAPI code.
int memory_info(const base::SysRoot& root, PAPI_dmem_info_t& info);

}  // namespace ringside::papi
