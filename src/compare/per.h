// By what values are divided, run by run, before they are compared. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "compare/run.h"

namespace ringside::compare {

std::string_view to_string(Per per);
std::optional<Per> parse_per(std::string_view text);

// For each run of each side; 1 where a value stays as it is.
using Divisors = std::vector<std::vector<double>>;

// What the sides are compared by: `wanted`, unless they were divided already. Fails where they were
// by something else, or not all.
Result<Per> agreed_per(const std::vector<Side>& sides, Per wanted);

// Fails where a side has not measured what to divide by.
Result<Divisors> find_divisors(const std::vector<Side>& sides, Per per);

}  // namespace ringside::compare
