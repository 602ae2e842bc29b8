// A comparison as one HTML file that can be sent to anybody: readable without scripts, sortable,
// filterable and zoomable with them; it fetches nothing.
#pragma once

#include <string>

#include "report/compare/compare_view.h"

namespace ringside::report {

// Charts show the `top` heaviest functions of each event. The page holds compare_json() of the
// view, and says which version of ringside made it.
std::string compare_page(const CompareView& view, std::size_t top, std::string_view version);

}  // namespace ringside::report
