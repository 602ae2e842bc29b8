// Tables of other tools, or of `ringside report --csv` and `ringside stat --csv`, as runs of a
// side.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "run/run.h"

namespace ringside::compare {

// The header names the columns. Rows with a symbol or a dso are samples in functions, the others
// counts of whole events:
//   event or name, symbol, dso or module, mode ("kernel", "user", "k", "."), samples,
//   value or period or self_pct or overhead or percent, unit, state, reason, run (1, 2, ...)
// Fails without a header that has an event or a symbol, and a value; names the line of a bad row.
Result<std::vector<run::Run>> parse_csv_table(std::string_view text);

// A finite number, with or without "%" behind it.
std::optional<double> parse_double(std::string_view text);
std::optional<CounterState> parse_state(std::string_view text);

}  // namespace ringside::compare
