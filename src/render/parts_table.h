// The table below circles and stacked bars: key, name, and a column of numbers for each series.
#pragma once

#include <functional>
#include <string>

#include "render/sheet.h"

namespace ringside::render {

// Wide enough for a column for each of the series.
double parts_width(const model::Figure& figure);

// `cell(part, series)` is the number as text. With `keys` the parts are numbered from 1.
void draw_parts_table(Sheet& sheet, const model::Figure& figure, const model::Parts& parts,
                      const std::function<std::string(const model::Part&, std::size_t)>& cell,
                      bool keys);

// The sum of what is known of a series; none if nothing is.
std::optional<double> whole_of(const model::Parts& parts, std::size_t series);
// The value that can be drawn: known, finite and above 0; else 0.
double drawable(const model::Part& part, std::size_t series);

}  // namespace ringside::render
