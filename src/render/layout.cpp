#include "render/layout.h"

#include "render/charts.h"

namespace ringside::render {

namespace {

struct Chooser {
    const model::Figure& figure;

    Picture operator()(const model::Bars& bars) const {
        return bars.upright ? draw_columns(figure, bars) : draw_rows(figure, bars);
    }
    Picture operator()(const model::Parts& parts) const {
        return parts.round ? draw_circles(figure, parts) : draw_stacks(figure, parts);
    }
    Picture operator()(const model::Timeline& timeline) const {
        return draw_timeline(figure, timeline);
    }
};

}  // namespace

Picture lay_out(const model::Figure& figure) {
    return std::visit(Chooser{figure}, figure.content);
}

}  // namespace ringside::render
