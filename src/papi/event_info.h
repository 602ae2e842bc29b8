// PAPI_event_info_t of an event.
#pragma once

#include "papi/abi.h"

namespace ringside::papi {

// PAPI code.
int describe_event(int code, PAPI_event_info_t& info);

}  // namespace ringside::papi
