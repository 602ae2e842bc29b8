#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/visible.h"
#include "report/compare/compare_cells.h"
#include "report/compare/compare_view.h"

namespace ringside::report {

namespace {

using compare::Cell;
using compare::Row;
using run::Side;

constexpr std::size_t name_width = 34;
constexpr std::size_t cell_width = 22;

// Cut in the middle of a character sequence, never in the middle of a UTF-8 character.
std::string shortened(std::string_view name, std::size_t most) {
    std::string text = base::visible(name);
    if (text.size() <= most) return text;
    std::size_t end = most - 2;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "..";
}

std::string cell_text(const Cell& cell, const std::string& unit) {
    const auto mean = cell.mean();
    if (!mean) return std::string(to_string(cell.state));
    std::string text = amount(*mean, unit);
    if (cell.values.size() > 1 && *mean != 0) {
        text += fmt::format(" +-{:5.1f} %", 100 * cell.deviation() / std::abs(*mean));
    }
    return text;
}

// "new": there is none on the first side.
std::string ratio_text(const Row& row, std::size_t side) {
    const compare::Ratio& ratio = row.ratios[side];
    const bool is_new = is_new_on(row, side);
    const std::string value = ratio.ratio ? fmt::format("{:.3g}", *ratio.ratio)
                              : is_new    ? "new"
                                          : "";
    const std::string range =
        ratio.ci_low ? fmt::format("{:.3g} to {:.3g}", *ratio.ci_low, *ratio.ci_high) : "";
    const bool said = ratio.ratio || is_new;
    const char* mark = !said ? "" : !ratio.significant ? "?" : *ratio.significant ? "*" : "";
    return fmt::format("{:>8} {:>20} {:<1}", value, range, mark);
}

std::string row_text(const Row& row, const std::string& name) {
    std::string text = fmt::format("  {:<{}}", shortened(name, name_width), name_width);
    for (const Cell& cell : row.cells)
        text += fmt::format(" {:>{}}", cell_text(cell, row.unit), cell_width);
    for (std::size_t i = 1; i < row.ratios.size(); ++i) text += " " + ratio_text(row, i);
    const auto end = text.find_last_not_of(' ');
    return text.substr(0, end + 1) + "\n";
}

std::string header(const CompareView& view, const std::string& first, const Style& style) {
    std::string text = fmt::format("  {:<{}}", first, name_width);
    for (const Side& side : view.sides) {
        text += fmt::format(" {:>{}}", shortened(side.name, cell_width), cell_width);
    }
    for (std::size_t i = 1; i < view.sides.size(); ++i) {
        text += fmt::format(
            " {:>8} {:>20}  ",
            view.sides.size() == 2 ? "ratio" : shortened("/" + view.sides[i].name, 8), "95 %");
    }
    const auto end = text.find_last_not_of(' ');
    return style.strong(text.substr(0, end + 1)) + "\n";
}

std::string side_text(const Side& side) {
    const auto& environment = side.environment;
    std::vector<std::string> facts{
        kind_text(side.kind),
        fmt::format("{} run{}", side.runs.size(), side.runs.size() == 1 ? "" : "s")};
    if (!environment.kernel.empty()) facts.push_back("Linux " + environment.kernel);
    if (!environment.cpu.empty()) facts.push_back(environment.cpu);
    if (environment.cpus) facts.push_back(fmt::format("{} CPUs", *environment.cpus));
    if (environment.memory_bytes) {
        facts.push_back(fmt::format("{:.1f} GB", *environment.memory_bytes / 1e9));
    }
    if (!environment.clock_source.empty()) facts.push_back("clock " + environment.clock_source);
    return fmt::format("  {:<10} {}\n", shortened(side.name, 40), fmt::join(facts, ", "));
}

std::string events_text(const CompareView& view, const Style& style) {
    std::string rows;
    std::vector<std::string> nowhere;
    for (const Row& row : view.comparison.events) {
        const bool measured = std::any_of(row.cells.begin(), row.cells.end(),
                                          [](const Cell& cell) { return cell.ok(); });
        if (measured) {
            rows += row_text(row, row.event + unit_text(row.unit));
        } else {
            nowhere.push_back(row.event);
        }
    }
    if (rows.empty() && nowhere.empty()) return "";
    std::string text =
        "\n" + header(view, fmt::format("per {}", to_string(view.comparison.per)), style) + rows;
    if (!nowhere.empty()) {
        text += fmt::format("  not measured on any side: {}\n", fmt::join(nowhere, ", "));
    }
    return text;
}

std::string functions_text(const CompareView& view, const std::vector<Row>& rows,
                           const std::string& title, std::size_t top, const Style& style) {
    std::string text;
    std::string event;
    std::size_t shown = 0;
    std::size_t hidden = 0;
    const auto say_hidden = [&] {
        if (hidden > 0) text += fmt::format("  and {} more (--top N shows more)\n", hidden);
    };
    for (const Row& row : rows) {
        if (row.event != event || text.empty()) {
            say_hidden();
            event = row.event;
            shown = hidden = 0;
            text += "\n" + header(view, event + unit_text(row.unit) + title, style);
        }
        if (top != 0 && shown >= top) {
            ++hidden;
            continue;
        }
        ++shown;
        const std::string module = shortened(row.module, 14);
        text += row_text(
            row, fmt::format("[{}] {} {}", row.in_kernel ? 'k' : '.',
                             shortened(row.symbol, name_width - 5 - module.size()), module));
    }
    say_hidden();
    return text;
}

}  // namespace

std::string compare_text(const CompareView& view, std::size_t top, const Style& style) {
    std::string text = view.title.empty() ? "" : view.title + "\n";
    for (const Side& side : view.sides) text += side_text(side);
    if (!view.warnings.empty()) text += "\n";
    for (const auto& warning : view.warnings) {
        text += fmt::format("  {} {}\n", is_loud(warning) ? style.bad("!!") : style.warn("! "),
                            warning);
    }
    if (!view.summary.empty()) text += "\n";
    for (const auto& finding : view.summary) text += fmt::format("  - {}\n", finding.text);
    text += events_text(view, style);
    text += functions_text(view, view.comparison.functions, " by function", top, style);
    text += functions_text(view, view.comparison.unresolved, " without a name", top, style);
    if (view.sides.size() > 1) {
        text += fmt::format(
            "\n  * a statistically significant difference ({}); ? too few runs or samples to "
            "tell\n",
            compare::test_name);
    }
    return text;
}

}  // namespace ringside::report
