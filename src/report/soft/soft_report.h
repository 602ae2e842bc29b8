// What the soft PMU of a machine has counted so far.
#pragma once

#include <string>

#include "soft/count_file.h"

namespace ringside::report {

// `path` is where the counts were read from.
std::string soft_text(const std::string& path, const soft::CountFile& file, bool per_cpu);
// Schema "ringside.soft/1".
std::string soft_json(const std::string& path, const soft::CountFile& file);

}  // namespace ringside::report
