#include "compare/chart.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/statistics.h"

namespace ringside::compare {

namespace {

model::Bar bar_of(const Cell& cell, double scale) {
    model::Bar bar;
    if (!cell.ok() || cell.values.empty()) {
        bar.note = std::string(to_string(cell.state));
        return bar;
    }
    const auto summary = analysis::summarize(cell.values);
    bar.value = summary.mean * scale;
    bar.low = std::max(0.0, (summary.mean - summary.confidence) * scale);
    bar.high = (summary.mean + summary.confidence) * scale;
    return bar;
}

}  // namespace

model::BarFigure chart_functions(const std::vector<Side>& sides, const Comparison& comparison,
                                 std::string_view event, std::size_t top) {
    model::BarFigure figure;
    for (const Side& side : sides) {
        const bool guest = side.kind == SideKind::tcg || side.kind == SideKind::kvm;
        figure.series.push_back(
            guest ? fmt::format("{} ({})", side.name, side.kind == SideKind::tcg ? "TCG" : "KVM")
                  : side.name);
    }
    for (const Row& row : comparison.functions) {
        if (row.event != event || figure.groups.size() == top) continue;
        const bool time = row.unit == "ns";
        const std::string unit = time ? "s" : row.unit;
        figure.axis = fmt::format("{}{} per {}", row.event, unit.empty() ? "" : " [" + unit + "]",
                                  to_string(comparison.per));
        model::BarGroup& group = figure.groups.emplace_back();
        group.label = fmt::format("{} ({})", row.symbol, row.module);
        group.mark = row.in_kernel ? "[k]" : "[.]";
        for (const Cell& cell : row.cells) group.bars.push_back(bar_of(cell, time ? 1e-9 : 1));
        group.stressed = std::any_of(row.ratios.begin(), row.ratios.end(), [](const Ratio& ratio) {
            return ratio.significant.value_or(false);
        });
    }
    return figure;
}

}  // namespace ringside::compare
