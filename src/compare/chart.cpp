#include "compare/chart.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/statistics.h"

namespace ringside::compare {

namespace {

using run::Per;
using run::Side;
using run::SideKind;

// Times are drawn in seconds.
double scale_of(const Row& row) {
    return row.unit == "ns" ? 1e-9 : 1;
}

std::string axis_of(const Row& row, Per per) {
    const std::string unit = row.unit == "ns" ? "s" : row.unit;
    const std::string per_text =
        per == Per::share ? "of the event" : fmt::format("per {}", to_string(per));
    return fmt::format("{}{} {}", row.event, unit.empty() ? "" : " [" + unit + "]", per_text);
}

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

model::Part part_of(const Row& row) {
    model::Part part;
    part.label = row.symbol;
    part.place = row.module;
    part.mark = row.in_kernel ? "[k]" : "[.]";
    for (const Cell& cell : row.cells) {
        const auto mean = cell.mean();
        part.values.push_back(mean ? std::optional(*mean * scale_of(row)) : std::nullopt);
    }
    return part;
}

// What is left of each side when the parts are taken from its whole.
model::Part rest_of(const std::vector<model::Part>& parts, const std::vector<double>& wholes,
                    double scale) {
    model::Part rest;
    rest.label = "all others";
    rest.rest = true;
    for (std::size_t i = 0; i < wholes.size(); ++i) {
        std::optional<double> left;
        for (const model::Part& part : parts) {
            if (part.values[i]) left = left.value_or(wholes[i] * scale) - *part.values[i];
        }
        // Sums of many doubles do not come out as 0.
        const double noise = wholes[i] * scale * 1e-9;
        if (left && *left < noise) left = 0;
        rest.values.push_back(left);
    }
    return rest;
}

model::Figure figure_of(const std::vector<Side>& sides) {
    model::Figure figure;
    for (const Side& side : sides) figure.series.push_back(series_name(side));
    return figure;
}

}  // namespace

std::string series_name(const Side& side) {
    if (side.kind == SideKind::tcg) return side.name + " (TCG)";
    if (side.kind == SideKind::kvm) return side.name + " (KVM)";
    return side.name;
}

model::Figure chart_functions(const std::vector<Side>& sides, const Comparison& comparison,
                              std::string_view event, std::size_t top) {
    model::Figure figure = figure_of(sides);
    model::Bars bars;
    for (const Row& row : comparison.functions) {
        if (row.event != event || bars.groups.size() == top) continue;
        figure.axis = axis_of(row, comparison.per);
        model::BarGroup& group = bars.groups.emplace_back();
        group.label = row.symbol;
        group.place = row.module;
        group.mark = row.in_kernel ? "[k]" : "[.]";
        for (const Cell& cell : row.cells) group.bars.push_back(bar_of(cell, scale_of(row)));
        group.stressed = std::any_of(row.ratios.begin(), row.ratios.end(), [](const Ratio& ratio) {
            return ratio.significant.value_or(false);
        });
    }
    figure.content = std::move(bars);
    return figure;
}

model::Figure chart_shares(const std::vector<Side>& sides, const Comparison& comparison,
                           std::string_view event, std::size_t top) {
    constexpr std::size_t colours = 8;
    model::Figure figure = figure_of(sides);
    model::Parts circles;
    circles.round = true;
    double scale = 1;
    for (const Row& row : comparison.functions) {
        if (row.event != event || circles.parts.size() == std::min(top, colours)) continue;
        figure.axis = axis_of(row, comparison.per);
        scale = scale_of(row);
        circles.parts.push_back(part_of(row));
    }
    const auto wholes = comparison.wholes.find(std::string(event));
    if (!circles.parts.empty() && wholes != comparison.wholes.end()) {
        circles.parts.push_back(rest_of(circles.parts, wholes->second, scale));
    }
    figure.content = std::move(circles);
    return figure;
}

}  // namespace ringside::compare
