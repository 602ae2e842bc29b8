// Every component there is.
#pragma once

#include <vector>

#include "base/sys_root.h"
#include "session/component.h"

namespace ringside::components {

// In the order in which they are listed. Looks at nothing yet.
std::vector<session::ComponentPtr> all_components(const base::SysRoot& root = {});

}  // namespace ringside::components
