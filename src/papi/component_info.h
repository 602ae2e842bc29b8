// How a component describes itself in PAPI's terms.
#pragma once

#include <string_view>

#include "papi/abi.h"
#include "session/component.h"

namespace ringside::papi {

// What is known without looking at the machine.
void start_component_info(PAPI_component_info_t& info, std::string_view name,
                          std::string_view prefix, std::string_view description, int index);

// The rest. `disabled` is PAPI_OK or why it counts nothing, `reason` says it in words or names
// limits, `events` is how many it lists.
void complete_component_info(PAPI_component_info_t& info, const session::Component& source,
                             int disabled, std::string_view reason, std::size_t events);

}  // namespace ringside::papi
