// Which design a core has: what tables of events that no architecture defines depend on.
#pragma once

#include <string>

#include "platform/cpu_model.h"

namespace ringside::platform {

// "zen4", "neoverse-n2", by data/platform/cores.csv; empty if that does not know it.
std::string core_design(const CpuModel& cpu);

}  // namespace ringside::platform
