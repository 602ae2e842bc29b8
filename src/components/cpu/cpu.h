// The cpu component: what perf_event_open counts. Hardware, cache, raw and software events and
// tracepoints, grouped so that a set is switched and read by one system call.
#pragma once

#include "base/sys_root.h"
#include "session/component.h"

namespace ringside::components {

session::ComponentPtr make_cpu(const base::SysRoot& root);

}  // namespace ringside::components
