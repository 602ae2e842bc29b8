// The stacks of a measured run as a file: named where it was measured, so that a comparison
// elsewhere needs neither the programs nor their symbols.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "model/stacks.h"

namespace ringside::run {

// Schema "ringside.stacks/1".
std::string stacks_json(const std::vector<model::StackTree>& trees);
Result<std::vector<model::StackTree>> parse_stacks(std::string_view json);

}  // namespace ringside::run
