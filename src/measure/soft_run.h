// One more execution of a measured command, under the soft PMU: what it counts, and nothing of its
// time, which is the emulator's.
#pragma once

#include <filesystem>

#include "measure/plan.h"
#include "run/run.h"

namespace ringside::measure {

// Adds its counts ("soft:instructions"; where that failed, why is their reason) and its samples to
// the run. Prints into soft-stdout and soft-stderr of the folder. Only an execution that ends as
// the run did, with its exit code, did the same work and counts. The signal that ended it from
// outside, or 0.
int count_in_software(const std::filesystem::path& folder, const Plan& plan, run::Run& run);

}  // namespace ringside::measure
