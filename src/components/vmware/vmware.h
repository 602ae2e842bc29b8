// What VMware tells its guests: all values of its guest library, and, if the variable
// PAPI_VMWARE_PSEUDOPERFORMANCE is set in the environment, the three pseudo performance counters.
//
//   CPU_STOLEN   MEM_BALLOONED   ...   HOST_TSC   ELAPSED_TIME   ELAPSED_APPARENT
//
// PAPI's names are the same behind VMWARE_.
#pragma once

#include <cstdint>
#include <string>

#include <ringside/result.h>

#include "base/sys_root.h"
#include "session/component.h"

namespace ringside::components::vmware {

// What is called; tests put their own in.
struct Access {
    std::string library = "libvmGuestLib.so.0";
    Result<void> (*probe_pseudo)() = nullptr;               // null: pseudo_counters.h
    std::uint64_t (*read_pseudo)(std::uint32_t) = nullptr;  // likewise
};

session::ComponentPtr make(const base::SysRoot& root);
session::ComponentPtr make_with(const base::SysRoot& root, const Access& access);

}  // namespace ringside::components::vmware
