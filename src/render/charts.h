// One function for each form of a figure; layout.h is the way in.
#pragma once

#include "model/figure.h"
#include "render/picture.h"

namespace ringside::render {

Picture draw_rows(const model::Figure& figure, const model::Bars& bars);
Picture draw_columns(const model::Figure& figure, const model::Bars& bars);
Picture draw_circles(const model::Figure& figure, const model::Parts& parts);
Picture draw_stacks(const model::Figure& figure, const model::Parts& parts);
Picture draw_timeline(const model::Figure& figure, const model::Timeline& timeline);

}  // namespace ringside::render
