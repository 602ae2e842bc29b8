// A time budget for people and for machines; one rendering for every verb that shows one.
#pragma once

#include <string>

#include <ringside/time_budget.h>

#include "run/time_json.h"

namespace ringside::cli {

// A table of the parts with their shares, and behind it how they were found and what is not known.
std::string budget_text(const TimeSplit& split);

using run::budget_sources;
using run::budget_times;

// The names of the columns and their values, comma-separated, without line ends; an unknown part is
// empty. New columns are added at the end only.
std::string budget_csv_header();
std::string budget_csv_row(const TimeSplit& split);

}  // namespace ringside::cli
