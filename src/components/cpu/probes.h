// Probes: events that did not exist until somebody asked for them, at any instruction of the kernel
// or of a program. The kernel makes them when they are opened and forgets them when they are
// closed.
#pragma once

#include <string_view>

#include <ringside/result.h>

#include "base/sys_root.h"
#include "model/event.h"

namespace ringside::components::cpu {

// True for "kprobe:...", "kretprobe:...", "uprobe:..." and "uretprobe:...".
bool is_probe_name(std::string_view name);

// "kprobe:FUNCTION[+OFFSET]", "uprobe:PATH:FUNCTION[+OFFSET]" or "uprobe:PATH:OFFSET", where the
// offset is that in the file; with "ret" for what returns from there; each with perf's modifiers.
// Fails when there is no such function or file, or the kernel makes no probes.
Result<model::Event> probe_event(const base::SysRoot& root, std::string_view name);

}  // namespace ringside::components::cpu
