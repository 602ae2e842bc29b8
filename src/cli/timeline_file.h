// Readings of a run while it ran, as a file.
#pragma once

#include <string>
#include <string_view>

#include <ringside/result.h>

#include "analysis/stat.h"
#include "cli/stat_time.h"
#include "model/timeline.h"

namespace ringside::cli {

// Adds a reading: where the time went by now, and what was counted. When there are many, every
// second one is dropped, so that a long run takes no more room than a short one.
void add_moment(model::Timeline& timeline, const TimeReport& time, const analysis::StatRows& rows);

// Schema "ringside.timeline/1".
std::string timeline_json(const model::Timeline& timeline);
Result<model::Timeline> parse_timeline(std::string_view json);

}  // namespace ringside::cli
