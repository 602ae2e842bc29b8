// By what values are divided, run by run, before they are compared. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "run/run.h"

namespace ringside::compare {

// For each run of each side; 1 where a value stays as it is.
using Divisors = std::vector<std::vector<double>>;

// What the sides are compared by: `wanted`, unless they were divided already. Fails where they were
// by something else, or not all.
Result<run::Per> agreed_per(const std::vector<run::Side>& sides, run::Per wanted);

// Fails where a side has not measured what to divide by.
Result<Divisors> find_divisors(const std::vector<run::Side>& sides, run::Per per);

}  // namespace ringside::compare
