// The merged recording as a perf.data file, written by the same writer as any other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "merge/merged_records.h"

namespace ringside::merge {

struct MadeBy {
    std::string version;
    std::vector<std::string> command_line;
};

// `records` are sorted. The file is there whole or not at all.
Result<void> write_merged(const std::string& path, const perf::DataFile& host,
                          std::span<const PlacedGuest> guests, const MergedRecords& records,
                          const MadeBy& made_by);

}  // namespace ringside::merge
