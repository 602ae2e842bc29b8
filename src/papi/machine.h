// PAPI_hw_info_t: the machine as the platform room reads it, in PAPI's terms.
#pragma once

#include "base/sys_root.h"
#include "papi/abi.h"
#include "platform/machine.h"

namespace ringside::papi {

// Of the machine we run on, read with the first call.
PAPI_hw_info_t& hardware_info();

// Of any, for tests.
PAPI_hw_info_t describe_hardware(const platform::Machine& machine, const base::SysRoot& root);

}  // namespace ringside::papi
