// One more execution of a measured command, under the soft PMU: what it counts, and nothing of its
// time, which is the emulator's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/stat.h"
#include "cli/measurer.h"
#include "cli/stat_request.h"
#include "run/run.h"

namespace ringside::cli {

struct SoftEnd {
    std::vector<std::string> notes;
    int stopped_by = 0;  // the signal that ended it from outside, or 0
};

// Those of the plan, or those that most programs are asked for.
Result<std::vector<AskedEvent>> asked_soft_events(const MeasurePlan& plan);

// Adds its counts ("soft:instructions"; where that failed, why is their reason) and its samples to
// the run. Prints into soft-stdout and soft-stderr of the folder. Only an execution that ends as
// the run did, with its exit code, did the same work and counts.
SoftEnd count_in_software(const std::filesystem::path& folder, const MeasurePlan& plan,
                          run::Run& run);

}  // namespace ringside::cli
