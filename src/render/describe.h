// A figure in words, for readers who hear it. Pure.
#pragma once

#include <string>

#include "model/figure.h"

namespace ringside::render {

// Clean text (letters.h), a line for each thing that is shown.
std::string describe(const model::Figure& figure);

}  // namespace ringside::render
