// Is stolen time reported here, and can a thread's own share be found?
#pragma once

#include "platform/machine.h"
#include "trust/report.h"

namespace ringside::trust {

StealReport examine_steal(const platform::Machine& machine);

}  // namespace ringside::trust
