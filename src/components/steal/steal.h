// Stolen time of a thread, a process, each CPU and the machine, in nanoseconds.
//
//   THREAD   PROCESS   TOTAL   CPU0 CPU1 ...
//
// PAPI's stealtime component counts CPUs from 1. Its names are found with their prefix, so that
// nobody can mistake them: "stealtime:::CPU1" is CPU0 here.
#pragma once

#include "base/sys_root.h"
#include "session/component.h"

namespace ringside::components::steal {

session::ComponentPtr make(const base::SysRoot& root);

}  // namespace ringside::components::steal
