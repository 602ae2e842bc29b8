#include "cli/compare_page.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/compare_cells.h"
#include "cli/compare_figures.h"
#include "cli/version.h"
#include "render/flame_graph.h"
#include "render/html.h"
#include "render/xml_text.h"

namespace ringside::cli {

namespace {

using compare::Cell;
using compare::Row;
using compare::Side;
using render::xml_text;

// Without scripts; as many as web/page.js shows at once.
constexpr std::size_t rows_without_scripts = 100;

std::string title_of(const CompareView& view) {
    if (!view.title.empty()) return view.title;
    std::vector<std::string> names;
    for (const Side& side : view.sides) names.push_back(side.name);
    return fmt::format("{}", fmt::join(names, " and "));
}

std::string section(std::string_view id, std::string_view heading, const std::string& content) {
    if (content.empty()) return "";
    return fmt::format(
        "<section id=\"{0}\" aria-labelledby=\"{0}-h\">\n<h2 "
        "id=\"{0}-h\">{1}</h2>\n{2}</section>\n",
        id, heading, content);
}

std::string header(const CompareView& view) {
    std::vector<std::string> sides;
    for (const Side& side : view.sides) {
        sides.push_back(fmt::format("<strong>{}</strong> ({}, {} run{})", xml_text(side.name),
                                    kind_text(side.kind), side.runs.size(),
                                    side.runs.size() == 1 ? "" : "s"));
    }
    return fmt::format(
        "<a class=\"skip\" href=\"#main\">Skip to the summary</a>\n<header>\n<h1>{}</h1>\n"
        "<p class=\"lead\">{}; values per {}</p>\n",
        xml_text(title_of(view)), fmt::join(sides, " compared with "),
        to_string(view.comparison.per));
}

// ---- in words

std::string finding_item(const compare::Finding& finding) {
    std::string bar;
    if (finding.share) {
        bar = fmt::format(
            "<span class=\"share{}\" style=\"width:{:.1f}%\" aria-hidden=\"true\"></span>",
            *finding.share < 0 ? " less" : "", std::min(100.0, 100 * std::abs(*finding.share)));
    }
    return fmt::format("<li>{}{}</li>\n", xml_text(finding.text), bar);
}

std::string summary(const CompareView& view) {
    if (view.summary.empty())
        return "<p>There is nothing that tells the sides apart, or there is only one.</p>\n";
    std::string text;
    auto finding = view.summary.begin();
    if (finding->cause == "time") {
        text += fmt::format("<p class=\"verdict\">{}</p>\n", xml_text(finding->text));
        ++finding;
    }
    if (finding == view.summary.end()) return text;
    text += "<ul class=\"findings\">\n";
    for (; finding != view.summary.end(); ++finding) text += finding_item(*finding);
    return text + "</ul>\n";
}

std::string warnings(const CompareView& view) {
    if (view.warnings.empty()) return "";
    std::string text = "<ul class=\"warnings\">\n";
    for (const auto& warning : view.warnings) {
        text += fmt::format("<li{}>{}</li>\n", is_loud(warning) ? " class=\"loud\"" : "",
                            xml_text(warning));
    }
    return text + "</ul>\n";
}

// ---- pictures

std::string figures(const CompareView& view, std::size_t top) {
    std::string text;
    for (const auto& figure : compare_figures(view, top)) {
        text += fmt::format("<figure class=\"figure\" id=\"{}\">{}</figure>\n", xml_text(figure.id),
                            render::inline_svg(figure.svg, figure.id + "-"));
    }
    return text;
}

constexpr std::string_view kinds_legend =
    "<span class=\"key\" style=\"background:#fdb569\"></span>user "
    "<span class=\"key\" style=\"background:#c22a1b\"></span>kernel "
    "<span class=\"key\" style=\"background:#d9d9d9\"></span>thread";
// Towers of frames that are a hair wide make a picture of many screens.
constexpr double least_share = 0.001;

std::string flame_item(const model::FlameFigure& figure, render::FlameOptions options,
                       const std::string& label, std::string_view legend) {
    options.title = fmt::format("{}: {}", figure.event, label);
    options.least_share = least_share;
    return fmt::format(
        "<figure data-label=\"{0}\"><div class=\"scroll\">{1}</div><figcaption>{0}. {2}"
        "</figcaption></figure>\n",
        xml_text(label), render::flame_part(figure, options), legend);
}

// The difference first: it is what a comparison is about.
std::string flame_set(const model::FlameFigure& figure) {
    std::string text = fmt::format("<h3>{}</h3>\n<div class=\"flames\">\n", xml_text(figure.event));
    for (std::size_t i = 1; i < figure.series.size(); ++i) {
        if (figure.nodes[0].totals[i] <= 0 || figure.nodes[0].totals[0] <= 0) continue;
        const std::string legend = fmt::format(
            "smaller share <span class=\"scale\"></span> larger share; full colour at a "
            "change of {:.1f} percentage points",
            render::full_change(figure, i, 0));
        text +=
            flame_item(figure, {.series = i, .before = 0},
                       fmt::format("{} against {}", figure.series[i], figure.series[0]), legend);
    }
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
        if (figure.nodes[0].totals[i] <= 0) continue;
        text += flame_item(figure, {.series = i}, figure.series[i], kinds_legend);
    }
    text += "</div>\n";
    if (figure.left_out > 0) {
        text += fmt::format(
            "<p class=\"lead\">{} places, none with more than {:.2g} % of {}, are left out.</p>\n",
            figure.left_out, 100 * figure.left_out_share, xml_text(figure.event));
    }
    return text;
}

std::string flames(const CompareView& view) {
    if (view.flames.empty()) return "";
    std::string text = fmt::format(
        "<p class=\"lead\">Each frame is a function, above the one that called it, as wide as its "
        "share of the event, from {} % on; means over the runs.</p>\n",
        100 * least_share);
    for (const auto& figure : view.flames) text += flame_set(figure);
    return text;
}

// ---- the table; what its cells say is said again by web/page.js

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

std::string table(const CompareView& view) {
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

// ---- the sides

using Fact = std::string (*)(const Side& side);
struct FactRow {
    std::string_view name;
    Fact text;
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

std::string environment(const CompareView& view) {
    std::string text =
        "<div class=\"table\" role=\"region\" aria-label=\"Where it ran\" tabindex=\"0\">"
        "<table class=\"environment\">\n<thead><tr><td></td>";
    for (const Side& side : view.sides)
        text += fmt::format("<th scope=\"col\">{}</th>", xml_text(side.name));
    text += "</tr></thead>\n<tbody>\n";
    for (const auto& fact : facts) text += fact_row(view, fact);
    return text + "</tbody></table></div>\n";
}

struct Section {
    std::string_view id;
    std::string_view heading;
    std::string content;
};

std::string footer() {
    return fmt::format(
        "<footer><p>A difference is <em>sure</em> if it is no chance: {}. Made by ringside {}; the "
        "data is in this file as JSON (ringside.compare/1).</p></footer>\n",
        compare::test_name, version);
}

}  // namespace

std::string compare_page(const CompareView& view, std::size_t top) {
    const Section sections[] = {
        {"summary", "Summary", summary(view)},     {"warnings", "Mind this", warnings(view)},
        {"figures", "Charts", figures(view, top)}, {"flames", "Flame graphs", flames(view)},
        {"table", "All values", table(view)},      {"sides", "Where it ran", environment(view)},
    };
    std::string links;
    std::string main;
    for (const auto& [id, heading, content] : sections) {
        if (content.empty()) continue;
        links += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, heading);
        main += section(id, heading, content);
    }
    render::HtmlPage page;
    page.title = title_of(view) + " - ringside";
    page.body = fmt::format(
        "{}<nav aria-label=\"Sections\"><ul>\n{}</ul></nav>\n</header>\n<main id=\"main\">\n{}"
        "</main>\n{}",
        header(view), links, main, footer());
    page.data = compare_json(view, -1);
    return render::html_page(page);
}

}  // namespace ringside::cli
