// The two tables of a page about a comparison, as HTML.
#pragma once

#include <string>

#include "report/compare/compare_view.h"

namespace ringside::report {

// All values, as far as they are shown without scripts. What the cells say is said again by
// web/page.js.
std::string rows_table(const CompareView& view);

// Where each side ran.
std::string sides_table(const CompareView& view);

}  // namespace ringside::report
