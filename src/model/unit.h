// The unit of events whose count is a time.
#pragma once

#include <string_view>

#include "model/event.h"

namespace ringside::model {

// The events that count nanoseconds, which neither the kernel nor a table says of them: its two
// clocks, and the times that `ringside record --off-cpu` samples. By code, whatever it is called.
bool counts_ns(const EventCode& code);
// By name, modifiers included; for what was written down without a unit.
bool counts_ns(std::string_view name);

}  // namespace ringside::model
