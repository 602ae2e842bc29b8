#include "report/compare/compare_figures.h"

#include <set>

#include <gmock/gmock.h>

namespace ringside::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

run::Side side_of(const std::string& name, bool timed) {
    run::Side side;
    side.name = name;
    for (int i = 0; i < 2; ++i) {
        run::Run& run = side.runs.emplace_back();
        run.sampled = {{"cpu-clock", "ns", 10, 0}, {"page-faults", "", 10, 0}};
        run.hits = {{"cpu-clock", "a.out", "main", false, true, 1e9, 10},
                    {"page-faults", "a.out", "main", false, true, 7, 7}};
        if (!timed) continue;
        run::Measurement user;
        user.name = "time.user";
        user.unit = "ns";
        user.value = 1e9;
        run::Measurement executed = user;
        executed.name = "time.executed";
        run.counts = {user, executed};
        run.intervals = {{1.0, {executed}}};
    }
    return side;
}

CompareView view_of(bool timed) {
    CompareView view;
    view.sides = {side_of("native", timed), side_of("vm", timed)};
    view.sides[1].kind = run::SideKind::tcg;
    view.comparison = *compare::join(view.sides);
    return view;
}

std::vector<std::string> ids(const std::vector<CompareFigure>& figures) {
    std::vector<std::string> all;
    for (const auto& figure : figures) all.push_back(figure.id);
    return all;
}

TEST(CompareFigures, OneOfEachKindThatHasData) {
    const auto figures = compare_figures(view_of(true), 10);
    EXPECT_THAT(ids(figures), ElementsAre("chart-time", "chart-bars-1", "chart-circle-1",
                                          "chart-bars-2", "chart-circle-2", "chart-timeline"));
    EXPECT_EQ(figures[3].title, "page-faults by function");
    EXPECT_THAT(figures[3].svg,
                HasSubstr("<title id=\"chart-bars-2-title\">page-faults by function"));
    EXPECT_THAT(figures[3].svg, HasSubstr("vm is emulated: its times"));
    EXPECT_THAT(ids(compare_figures(view_of(false), 0)),
                ElementsAre("chart-bars-1", "chart-circle-1", "chart-bars-2", "chart-circle-2"));
    EXPECT_THAT(compare_figures({}, 10), testing::IsEmpty());
}

TEST(CompareFigures, WhatIsMissingIsSaid) {
    const CompareView untimed = view_of(false);
    EXPECT_TRUE(make_figure(untimed, ChartKind::columns, 3));
    EXPECT_THAT(make_figure(untimed, ChartKind::time, 3).error().what,
                HasSubstr("no chart of the time"));
    EXPECT_THAT(make_figure(untimed, ChartKind::timeline, 3).error().what,
                HasSubstr("no timeline"));
    EXPECT_THAT(make_figure({}, ChartKind::circle, 3).error().what,
                HasSubstr("no function to draw"));
}

TEST(ChartKinds, HaveNames) {
    EXPECT_EQ(chart_kind_names(), "bars, columns, circle, time, timeline");
    EXPECT_EQ(parse_chart_kind("circle"), ChartKind::circle);
    EXPECT_EQ(parse_chart_kind("pie"), std::nullopt);
}

}  // namespace
}  // namespace ringside::report
