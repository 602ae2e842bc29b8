// From the name a person types to what the kernel is asked for.
#pragma once

#include <string>
#include <string_view>

#include <ringside/result.h>

#include "base/sys_root.h"
#include "model/event.h"

namespace ringside::events {

// Understands "cycles", "r1a2", "cpu/event=0x3c,umask=1/", "armv8_pmuv3_0/cpu_cycles/",
// "sched:sched_switch", an architectural name ("inst_retired"), each with perf's modifiers
// (":u", ":k", ":h", ":G", ":H", ":D", ":p"); and behind a tracepoint a filter in braces,
// "sched:sched_switch{prev_pid == 1}". Never substitutes one event for another.
Result<model::Event> parse_event(const base::SysRoot& root, std::string_view text);

// The event's name and, in `filter`, what was in its braces.
std::string_view without_filter(std::string_view text, std::string& filter);

// "cycles:u" or "kprobe:do_exit:k" without the modifiers, which `event` is given.
std::string_view take_modifiers(std::string_view text, model::Event& event);

}  // namespace ringside::events
