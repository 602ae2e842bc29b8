#include "report/compare/compare_page.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/flame_graph.h"
#include "render/html.h"
#include "render/xml_text.h"
#include "report/compare/compare_cells.h"
#include "report/compare/compare_figures.h"
#include "report/compare/compare_page_tables.h"

namespace ringside::report {

namespace {

using render::xml_text;
using run::Side;

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

struct Section {
    std::string_view id;
    std::string_view heading;
    std::string content;
};

std::string footer(std::string_view version) {
    return fmt::format(
        "<footer><p>A difference is <em>sure</em> if it is statistically significant: {}. Made by "
        "ringside {}; the "
        "data is in this file as JSON (ringside.compare/1).</p></footer>\n",
        compare::test_name, version);
}

}  // namespace

std::string compare_page(const CompareView& view, std::size_t top, std::string_view version) {
    const Section sections[] = {
        {"summary", "Summary", summary(view)},     {"warnings", "Mind this", warnings(view)},
        {"figures", "Charts", figures(view, top)}, {"flames", "Flame graphs", flames(view)},
        {"table", "All values", rows_table(view)}, {"sides", "Where it ran", sides_table(view)},
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
        header(view), links, main, footer(version));
    page.data = compare_json(view, -1);
    return render::html_page(page);
}

}  // namespace ringside::report
