// How the cells of a comparison read, in the terminal and on the page.
#pragma once

#include <string>

#include "compare/join.h"

namespace ringside::report {

// Times are read in seconds; the unit stands elsewhere.
std::string amount(double value, const std::string& unit);
// " [s]", or nothing.
std::string unit_text(const std::string& unit);
std::string kind_text(run::SideKind kind);
// There is none on the first side, so that there is no ratio.
bool is_new_on(const compare::Row& row, std::size_t side);
// A warning that nobody may overlook.
bool is_loud(const std::string& warning);

}  // namespace ringside::report
