// A figure as SVG: real text, a title and a description for those who do not see it, colours that
// differ in lightness as well as in hue.
#pragma once

#include <string>

#include "model/figure.h"

namespace ringside::render {

// Horizontal bars, so that names of functions can be read. The same figure gives the same bytes.
std::string svg_of(const model::BarFigure& figure);

}  // namespace ringside::render
