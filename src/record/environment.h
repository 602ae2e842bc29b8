// What a recording says of the machine it was made on, in perf's sections and in Ringside's.
#pragma once

#include <string>
#include <vector>

#include "base/sys_root.h"
#include "perf/data_context.h"
#include "perf/data_features.h"

namespace ringside::record {

// Host, kernel, processor: what perf records, too.
void add_machine(const base::SysRoot& root, perf::FeatureSections& features);

// Hypervisor, container, clock source: what decides how far the numbers can be compared.
perf::Context environment_of(const base::SysRoot& root);

}  // namespace ringside::record
