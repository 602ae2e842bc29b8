// The tables under data/ are CSV: fields between commas, rows on lines of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringside::base {

// Rows in order; blank lines and lines that begin with '#' are skipped, the header row is a row
// like any other. Blanks around an unquoted field are dropped; a field that begins with '"' runs to
// the next lone '"', with '""' for one quote inside. Total: a missing end quote ends with the line.
std::vector<std::vector<std::string>> parse_csv(std::string_view text);

// `name` as one field of such a row: visible(), in quotes if it needs them, with a ' in front if a
// spreadsheet would take it for a formula. For names; numbers are what they are.
std::string csv_field(std::string_view name);

}  // namespace ringside::base
