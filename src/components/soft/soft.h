// What this program executes, counted by the soft PMU it runs under (docs/softpmu.md): read with
// plain loads from the page that the plugin writes. Only there where the program was started by
// `ringside stat --soft` or by QEMU with the plugin, or in a machine that QEMU runs with it.
#pragma once

#include "base/sys_root.h"
#include "session/component.h"

namespace ringside::components::soft {

session::ComponentPtr make(const base::SysRoot& root);

// The same with the folder of the run named, instead of found in the environment.
session::ComponentPtr make_in(std::string folder);

}  // namespace ringside::components::soft
