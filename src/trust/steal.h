// Is stolen time reported here, and can a thread's own share be found?
#pragma once

#include "platform/machine.h"
#include "trust/report.h"

namespace ringside::trust {

// Opens the clocks that a measurement would use, and asks them.
StealReport examine_steal(const platform::Machine& machine);

}  // namespace ringside::trust
