// Exits from a perf.data file: one that `ringside kvm stat record`, `perf kvm stat record` or any
// other recording of kvm:kvm_entry and kvm:kvm_exit left.
#pragma once

#include <string>

#include <ringside/result.h>

#include "kvm_stat/measurement.h"

namespace ringside::kvm_stat {

// "-" is standard input. Fails if the file has not both tracepoints. One pass; memory does not grow
// with the file where the recorder marked its rounds.
Result<Measurement> load(const std::string& path);

}  // namespace ringside::kvm_stat
