// How what `ringside merge` found is shown.
#pragma once

#include <string>

#include "merge/merge.h"

namespace ringside::report {

std::string merge_text(const merge::MergeReport& report);
// One row for each vCPU.
std::string merge_csv(const merge::MergeReport& report);
// "ringside.merge/1"
std::string merge_json(const merge::MergeReport& report);

// Whether a recording of this host can tell that time; what it cannot tell is no 0.
bool is_seen(const merge::MergeReport& report, merge::Doing doing);

}  // namespace ringside::report
