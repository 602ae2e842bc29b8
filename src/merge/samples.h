// Goes through the samples of a recording that shall be merged, and says first whether it can be.
#pragma once

#include <functional>
#include <string>

#include <ringside/result.h>

#include "perf/data_file.h"

namespace ringside::merge {

// Merging needs the time and the CPU of each sample, in this machine's byte order.
Result<void> check_samples(const perf::DataFile& file, const std::string& path);

using TakeSample = std::function<void(std::size_t event, const perf::FullSample& sample)>;
// In file order; samples that are shorter than their event says are left out.
Result<void> for_samples(const perf::DataFile& file, const TakeSample& take);

}  // namespace ringside::merge
