// A figure becomes a picture: the one place where charts are drawn, whatever they are written to.
// Pure: the same figure gives the same picture on every machine.
#pragma once

#include "model/figure.h"
#include "render/picture.h"

namespace ringside::render {

// Bars below or beside each other, circles, stacked bars, or lines over time. As wide as a printed
// column, or wider where there is more to show than fits.
Picture lay_out(const model::Figure& figure);

}  // namespace ringside::render
