// Application I/O: what a program reads and writes, and how long it waits for that.
#pragma once

#include "base/sys_root.h"
#include "session/component.h"

namespace ringside::components::io {

session::ComponentPtr make(const base::SysRoot& root);

}  // namespace ringside::components::io
