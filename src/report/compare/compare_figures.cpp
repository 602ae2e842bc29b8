#include "report/compare/compare_figures.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "compare/chart.h"
#include "render/flame_graph.h"
#include "render/layout.h"
#include "render/svg.h"

namespace ringside::report {

namespace {

using base::fail;

struct KindName {
    ChartKind kind;
    std::string_view name;
};
constexpr std::array<KindName, 5> kinds = {{{ChartKind::bars, "bars"},
                                            {ChartKind::columns, "columns"},
                                            {ChartKind::circle, "circle"},
                                            {ChartKind::time, "time"},
                                            {ChartKind::timeline, "timeline"}}};

bool is_empty(const model::Figure& figure) {
    if (const auto* bars = std::get_if<model::Bars>(&figure.content)) return bars->groups.empty();
    if (const auto* parts = std::get_if<model::Parts>(&figure.content)) return parts->parts.empty();
    return std::get<model::Timeline>(figure.content).strips.empty();
}

// Only of signs that are there.
std::string bars_caption(const model::Bars& bars) {
    bool stressed = false;
    bool spread = false;
    for (const auto& group : bars.groups) {
        stressed = stressed || group.stressed;
        for (const auto& bar : group.bars) spread = spread || (bar.value && bar.high > bar.low);
    }
    std::string caption;
    if (stressed) caption = "* a statistically significant difference. ";
    if (spread) caption += "Lines: 95 % confidence of the mean. ";
    return caption;
}

std::string caption_of(const CompareView& view, ChartKind kind, const model::Figure& figure) {
    std::string caption;
    switch (kind) {
        case ChartKind::bars:
        case ChartKind::columns:
            caption = bars_caption(std::get<model::Bars>(figure.content));
            break;
        case ChartKind::circle:
            caption = "Areas: the share of each function; in the middle: the whole. ";
            break;
        case ChartKind::time:
            caption = "Means over the runs; all threads together. ";
            break;
        case ChartKind::timeline:
            caption = "Of each side the run of median length. ";
            break;
    }
    for (const auto& side : view.sides) {
        if (side.kind != run::SideKind::tcg) continue;
        caption += fmt::format(
            "{} is emulated: its times are those of translating instructions, not of "
            "virtualization. ",
            side.name);
    }
    return caption;
}

model::Figure draw(const CompareView& view, ChartKind kind, std::string_view event,
                   std::size_t top) {
    const auto& [sides, comparison] = std::tie(view.sides, view.comparison);
    switch (kind) {
        case ChartKind::circle:
            return compare::chart_shares(sides, comparison, event, top);
        case ChartKind::time:
            return compare::chart_time_budget(sides, comparison);
        case ChartKind::timeline:
            return compare::chart_timeline(sides, comparison);
        case ChartKind::bars:
        case ChartKind::columns:
            break;
    }
    auto figure = compare::chart_functions(sides, comparison, event, top);
    std::get<model::Bars>(figure.content).upright = kind == ChartKind::columns;
    return figure;
}

Error nothing_to_draw(ChartKind kind) {
    if (kind == ChartKind::time) {
        return fail(ErrorCode::bad_input, "no chart of the time: no side knows where its time went",
                    "runs of `ringside measure` or `ringside compare -- COMMAND` do; --only may "
                    "have left it out");
    }
    if (kind == ChartKind::timeline) {
        return fail(ErrorCode::bad_input, "no timeline: no side has readings over time",
                    "runs of `ringside measure` or `ringside compare -- COMMAND` do; --only may "
                    "have left them out");
    }
    return fail(ErrorCode::bad_input, "no function to draw was sampled");
}

class Gallery {
  public:
    Gallery(const CompareView& view, std::size_t top) : view_(view), top_(top) {}

    void add(ChartKind kind, std::string_view event, std::string id, std::string title) {
        auto figure = draw(view_, kind, event, top_);
        if (is_empty(figure)) return;
        figure.caption = caption_of(view_, kind, figure);
        auto picture = render::lay_out(figure);
        picture.title = title;
        std::string svg = render::svg_of(picture, id);
        figures_.push_back({std::move(id), std::move(title), std::move(svg)});
    }

    std::vector<CompareFigure> take() { return std::move(figures_); }

  private:
    const CompareView& view_;
    std::size_t top_;
    std::vector<CompareFigure> figures_;
};

}  // namespace

std::optional<ChartKind> parse_chart_kind(std::string_view text) {
    for (const auto& [kind, name] : kinds) {
        if (name == text) return kind;
    }
    return std::nullopt;
}

std::string chart_kind_names() {
    std::string names;
    for (const auto& each : kinds) {
        if (!names.empty()) names += ", ";
        names += each.name;
    }
    return names;
}

Result<model::Figure> make_figure(const CompareView& view, ChartKind kind, std::size_t top) {
    const auto events = sampled_events(view);
    auto figure = draw(view, kind, events.empty() ? "" : events.front(), top);
    if (is_empty(figure)) return nothing_to_draw(kind);
    figure.caption = caption_of(view, kind, figure);
    return figure;
}

std::vector<CompareFigure> compare_figures(const CompareView& view, std::size_t top) {
    Gallery gallery(view, top == 0 ? std::numeric_limits<std::size_t>::max() : top);
    gallery.add(ChartKind::time, "", "chart-time", "Where the time went");
    const auto events = sampled_events(view);
    for (std::size_t i = 0; i < events.size(); ++i) {
        gallery.add(ChartKind::bars, events[i], fmt::format("chart-bars-{}", i + 1),
                    events[i] + " by function");
        gallery.add(ChartKind::circle, events[i], fmt::format("chart-circle-{}", i + 1),
                    events[i] + ", shares of the functions");
    }
    gallery.add(ChartKind::timeline, "", "chart-timeline", "Over time");
    return gallery.take();
}

Result<std::string> compare_flame_graph(const CompareView& view) {
    if (view.flames.empty()) {
        return fail(ErrorCode::bad_input, "no stack to draw was sampled",
                    "sides that were measured here have stacks, and recordings made with -g");
    }
    const auto& figure = view.flames.front();
    render::FlameOptions options;
    options.title = view.title.empty() ? figure.event : view.title;
    if (view.sides.size() > 1) {
        options.series = 1;
        options.before = 0;
    }
    return render::flame_file(figure, options);
}

}  // namespace ringside::report
