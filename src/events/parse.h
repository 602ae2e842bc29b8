// From the name a person types to what the kernel is asked for.
#pragma once

#include <string_view>

#include <ringside/result.h>

#include "base/sys_root.h"
#include "model/event.h"

namespace ringside::events {

// Understands "cycles", "r1a2", "cpu/event=0x3c,umask=1/", "armv8_pmuv3_0/cpu_cycles/",
// "sched:sched_switch", an architectural name ("inst_retired"), each with perf's modifiers
// (":u", ":k", ":h", ":G", ":H", ":D", ":p"). Never substitutes one event for another.
Result<model::Event> parse_event(const base::SysRoot& root, std::string_view text);

}  // namespace ringside::events
