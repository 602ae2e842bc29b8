#include "report/compare/compare_page_tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/xml_text.h"
#include "report/compare/compare_cells.h"

namespace ringside::report {

namespace {

using compare::Cell;
using compare::Row;
using render::xml_text;
using run::Side;

// As many as web/page.js shows at once.
constexpr std::size_t rows_without_scripts = 100;

std::string head_cell(std::string_view key, const std::string& name, bool number) {
    return fmt::format("<th scope=\"col\" data-key=\"{}\"{}>{}</th>", key,
                       number ? " class=\"number\"" : "", xml_text(name));
}

std::string table_head(const CompareView& view) {
    std::string text = head_cell("event", "Event", false) + head_cell("symbol", "Function", false) +
                       head_cell("dso", "Module", false) + head_cell("mode", "Mode", false);
    for (std::size_t i = 0; i < view.sides.size(); ++i)
        text += head_cell(fmt::format("value:{}", i), view.sides[i].name, true);
    const bool pair = view.sides.size() == 2;
    for (std::size_t i = 1; i < view.sides.size(); ++i) {
        const std::string of = pair ? "" : " " + view.sides[i].name;
        text += head_cell(fmt::format("ratio:{}", i), "Ratio" + of, true) +
                head_cell(fmt::format("range:{}", i), "95 %" + of, true) +
                head_cell(fmt::format("sure:{}", i), "Difference" + of, false);
    }
    return "<thead><tr>" + text + "</tr></thead>\n";
}

std::string value_cell(const Cell& cell, const std::string& unit) {
    const auto mean = cell.mean();
    if (!mean) {
        std::string state(to_string(cell.state));
        std::replace(state.begin(), state.end(), '_', ' ');
        return fmt::format("<td class=\"state\" title=\"{}\">{}</td>", xml_text(cell.reason),
                           state);
    }
    std::string spread;
    if (cell.values.size() > 1 && *mean != 0) {
        spread = fmt::format("<span class=\"aside\">\u00b1{:.1f} %</span>",
                             100 * cell.deviation() / std::abs(*mean));
    }
    const std::string shown_unit = unit == "ns" ? "s" : unit;
    return fmt::format("<td class=\"number\">{}{}{}{}</td>", amount(*mean, unit),
                       shown_unit.empty() ? "" : " ", xml_text(shown_unit), spread);
}

std::string ratio_cells(const Row& row, std::size_t side) {
    const auto& ratio = row.ratios[side];
    const bool is_new = is_new_on(row, side);
    const bool grew = ratio.ratio ? *ratio.ratio > 1 : is_new;
    const char* mark = !ratio.significant.value_or(false) ? "" : grew ? " up" : " down";
    const char* sure = !ratio.ratio && !is_new ? ""
                       : !ratio.significant    ? "cannot be told"
                       : *ratio.significant    ? "sure"
                                               : "may be chance";
    return fmt::format(
        "<td class=\"number{}\">{}</td><td class=\"number\">{}</td><td class=\"sure\">{}</td>",
        mark,
        ratio.ratio ? fmt::format("{:.3g}", *ratio.ratio)
        : is_new    ? "new"
                    : "",
        ratio.ci_low ? fmt::format("{:.3g} to {:.3g}", *ratio.ci_low, *ratio.ci_high) : "", sure);
}

std::string name_cell(const std::string& name, const std::string& others = "") {
    return fmt::format("<td class=\"name\"><span class=\"long\">{}</span>{}</td>", xml_text(name),
                       others.empty()
                           ? ""
                           : fmt::format("<span class=\"aside long\">{}</span>", xml_text(others)));
}

// What sides call the function themselves.
std::string other_names(const Row& row) {
    std::vector<std::string> names;
    for (const Cell& cell : row.cells) {
        const bool said = cell.name.empty() || cell.name == row.symbol ||
                          std::find(names.begin(), names.end(), cell.name) != names.end();
        if (!said) names.push_back(cell.name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string table_row(const Row& row) {
    const bool whole = row.module.empty();
    std::string text = "<tr>" + name_cell(row.event) +
                       name_cell(whole ? "" : row.symbol, other_names(row)) +
                       name_cell(row.module) +
                       fmt::format("<td>{}</td>", whole           ? ""
                                                  : row.in_kernel ? "kernel"
                                                                  : "user");
    for (const Cell& cell : row.cells) text += value_cell(cell, row.unit);
    for (std::size_t i = 1; i < row.ratios.size(); ++i) text += ratio_cells(row, i);
    return text + "</tr>\n";
}

using SideText = std::string (*)(const Side& side);
struct FactRow {
    std::string_view name;
    SideText text;
};
constexpr FactRow facts[] = {
    {"What", [](const Side& side) { return kind_text(side.kind); }},
    {"Runs", [](const Side& side) { return std::to_string(side.runs.size()); }},
    {"Exit codes",
     [](const Side& side) {
         std::vector<std::string> codes;
         for (const auto& run : side.runs)
             if (run.exit_code) codes.push_back(std::to_string(*run.exit_code));
         const bool same =
             std::equal(codes.begin() + (codes.empty() ? 0 : 1), codes.end(), codes.begin());
         if (same && !codes.empty()) codes.resize(1);
         return fmt::format("{}", fmt::join(codes, ", "));
     }},
    {"Kernel", [](const Side& side) { return side.environment.kernel; }},
    {"Processor", [](const Side& side) { return side.environment.cpu; }},
    {"CPUs",
     [](const Side& side) {
         return side.environment.cpus ? std::to_string(*side.environment.cpus) : std::string();
     }},
    {"Memory",
     [](const Side& side) {
         const auto& bytes = side.environment.memory_bytes;
         return bytes ? fmt::format("{:.1f} GB", *bytes / 1e9) : std::string();
     }},
    {"Hypervisor", [](const Side& side) { return side.environment.hypervisor; }},
    {"Clock source", [](const Side& side) { return side.environment.clock_source; }},
    {"Frequency",
     [](const Side& side) {
         const auto& hz = side.environment.cpu_hz;
         return hz ? fmt::format("{:.3f} GHz", *hz / 1e9) : std::string();
     }},
    {"Notes", [](const Side& side) { return fmt::format("{}", fmt::join(side.notes, "; ")); }},
};

std::string fact_row(const CompareView& view, const FactRow& fact) {
    std::string cells;
    bool differs = false;
    bool known = false;
    const std::string first = fact.text(view.sides.front());
    for (const Side& side : view.sides) {
        const std::string text = fact.text(side);
        differs = differs || text != first;
        known = known || !text.empty();
        cells += fmt::format("<td>{}</td>", text.empty() ? "not known" : xml_text(text));
    }
    if (!known) return "";
    return fmt::format("<tr{}><th scope=\"row\">{}{}</th>{}</tr>\n",
                       differs ? " class=\"differs\"" : "", fact.name,
                       differs ? "<span class=\"hidden\"> differs</span>" : "", cells);
}

}  // namespace

std::string rows_table(const CompareView& view) {
    const auto& all = view.comparison;
    std::string rows;
    std::size_t shown = 0;
    for (const auto* list : {&all.events, &all.functions, &all.unresolved}) {
        for (const Row& row : *list) {
            if (shown == rows_without_scripts) break;
            rows += table_row(row);
            ++shown;
        }
    }
    const std::size_t count = all.events.size() + all.functions.size() + all.unresolved.size();
    if (count == 0) return "";
    std::string text = fmt::format(
        "<div class=\"table\" role=\"region\" aria-label=\"All rows\" tabindex=\"0\">"
        "<table id=\"rows\">\n{}<tbody>\n{}</tbody></table></div>\n",
        table_head(view), rows);
    if (count > shown) {
        text += fmt::format(
            "<p id=\"rows-static\" class=\"status\">{} of {} rows. The others are in this file: "
            "with scripts they can be sorted and filtered here.</p>\n",
            shown, count);
    }
    return text;
}

std::string sides_table(const CompareView& view) {
    std::string text =
        "<div class=\"table\" role=\"region\" aria-label=\"Where it ran\" tabindex=\"0\">"
        "<table class=\"environment\">\n<thead><tr><td></td>";
    for (const Side& side : view.sides)
        text += fmt::format("<th scope=\"col\">{}</th>", xml_text(side.name));
    text += "</tr></thead>\n<tbody>\n";
    for (const auto& fact : facts) text += fact_row(view, fact);
    return text + "</tbody></table></div>\n";
}

}  // namespace ringside::report
