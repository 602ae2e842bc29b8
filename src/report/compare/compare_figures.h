// The pictures of a comparison.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "model/figure.h"
#include "report/compare/compare_view.h"

namespace ringside::report {

// bars: functions below each other; columns: beside each other, as papers have them; circle: shares
// of the functions; time: where the time went; timeline: what came in as it went on.
enum class ChartKind { bars, columns, circle, time, timeline };
std::optional<ChartKind> parse_chart_kind(std::string_view text);
std::string chart_kind_names();  // "bars, columns, ..."

// With a caption that explains it, and without a title. Of the first event that was sampled. Fails
// where there is nothing to draw.
Result<model::Figure> make_figure(const CompareView& view, ChartKind kind, std::size_t top);

struct CompareFigure {
    std::string id;     // letters, digits and "-"; no two are the same
    std::string title;  // not drawn, but in the SVG for those who hear it
    std::string svg;
};

// All pictures there are data for: bars and circles of each event that was sampled, the time, the
// timeline. `top` functions in each; 0 means all.
std::vector<CompareFigure> compare_figures(const CompareView& view, std::size_t top);

// The flame graph of the first event as SVG, coloured by what changed from the first side to the
// second.
Result<std::string> compare_flame_graph(const CompareView& view);

}  // namespace ringside::report
