// One more execution of a measured command, under the soft PMU: what it counts, and nothing of its
// time, which is the emulator's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/stat.h"
#include "cli/measurer.h"
#include "cli/stat_request.h"

namespace ringside::cli {

struct SoftCounts {
    analysis::StatRows rows;  // "soft:instructions"; where that failed, why is their reason
    std::vector<std::string> notes;
    int stopped_by = 0;  // the signal that ended it from outside, or 0
};

// Those of the plan, or those that most programs are asked for.
Result<std::vector<AskedEvent>> asked_soft_events(const MeasurePlan& plan);

// Prints into soft-stdout and soft-stderr of the folder. Only an execution that ends as the one
// before it, with `exit_code`, did the same work and counts.
SoftCounts count_in_software(const std::filesystem::path& folder, const MeasurePlan& plan,
                             int exit_code);

}  // namespace ringside::cli
