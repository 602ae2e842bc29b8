// Plain sentences for what to change: data/trust/advice.csv, chosen by what the report holds.
#pragma once

#include <string>
#include <vector>

#include "trust/report.h"

namespace ringside::trust {

// In the table's order. Pure.
std::vector<std::string> advise(const Report& report);

// True if the code knows the condition; a test holds the table against it.
bool is_condition(std::string_view name);

}  // namespace ringside::trust
