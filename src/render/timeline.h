// Time from left to right, as SVG: panels one below the other, each a stack of steps.
#pragma once

#include <string>

#include "model/timeline.h"

namespace ringside::render {

std::string svg_of(const model::TimelineFigure& figure);

}  // namespace ringside::render
