#include "cli/compare_figures.h"

#include "compare/chart.h"
#include "render/svg.h"

namespace ringside::cli {

std::vector<CompareFigure> compare_figures(const CompareView& view, std::size_t top) {
    std::vector<CompareFigure> figures;
    std::string event;
    for (const auto& row : view.comparison.functions) {
        if (row.event == event) continue;
        event = row.event;
        auto figure = compare::chart_functions(view.sides, view.comparison, event, top);
        figure.caption = "* a difference that is no chance; lines: 95 % confidence of the mean";
        figures.push_back(
            {"functions-" + plain_file(event), event + " by function", render::svg_of(figure)});
    }
    return figures;
}

}  // namespace ringside::cli
