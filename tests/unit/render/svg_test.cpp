#include "render/svg.h"

#include <gmock/gmock.h>

#include "render/axis.h"

namespace ringside::render {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(AxisFor, StepsOfOneTwoOrFive) {
    EXPECT_THAT(axis_for(10).ticks(), ElementsAre(0, 2, 4, 6, 8, 10));
    EXPECT_DOUBLE_EQ(axis_for(11).step, 5);
    EXPECT_DOUBLE_EQ(axis_for(11).end, 15);
    EXPECT_DOUBLE_EQ(axis_for(0.0123).step, 0.005);
    EXPECT_EQ(axis_for(0.0123).label(0.005), "0.005");
    EXPECT_EQ(axis_for(1.2e6).label(500000), "500k");
    EXPECT_EQ(axis_for(2.4e7).label(5e6), "5M");
    EXPECT_EQ(axis_for(0.4).label(0), "0.0");
    for (const double most : {0.0, -1.0, 1e-300, 1e300}) {
        const Axis axis = axis_for(most);
        EXPECT_GE(axis.end, most);
        EXPECT_GE(axis.ticks().size(), 2u);
        EXPECT_LE(axis.ticks().size(), 7u);
    }
}

model::BarFigure two_sides() {
    model::BarFigure figure;
    figure.title = "a < b & \"c\"";
    figure.axis = "cpu-clock [s] per run";
    figure.series = {"native", "vm (TCG)"};
    figure.groups = {
        {"solve (bt.A)", "[.]", {{1.0, 0.9, 1.1, ""}, {2.0, 2.0, 2.0, ""}}, true},
        {"clear_page ([kernel])", "[k]", {{0.5, 0.5, 0.5, ""}, {{}, 0, 0, "dead"}}, false}};
    return figure;
}

TEST(Svg, HasBarsMarksSeriesAndTextForListeners) {
    const std::string svg = svg_of(two_sides());
    EXPECT_THAT(svg, HasSubstr("<title id=\"title\">a &lt; b &amp; &quot;c&quot;</title>"));
    EXPECT_THAT(svg, HasSubstr("[.] solve (bt.A): native 1; vm (TCG) 2;"));
    EXPECT_THAT(svg, HasSubstr(">[.] solve (bt.A) *</text>"));
    EXPECT_THAT(svg, HasSubstr(">[k] clear_page ([kernel])</text>"));
    EXPECT_THAT(svg, HasSubstr(">vm (TCG)</text>"));
    EXPECT_THAT(svg, HasSubstr("cpu-clock [s] per run</text>"));
    EXPECT_EQ(svg, svg_of(two_sides()));
}

TEST(Svg, LengthsFollowValuesAndWhatIsUnknownIsNoBar) {
    const std::string svg = svg_of(two_sides());
    // The axis ends at 2, over 402 pixels.
    EXPECT_THAT(svg, HasSubstr("width=\"201.00\""));
    EXPECT_THAT(svg, HasSubstr("width=\"402.00\""));
    EXPECT_THAT(svg, HasSubstr("width=\"100.50\""));
    EXPECT_THAT(svg, HasSubstr(">dead</text>"));
    EXPECT_THAT(svg, Not(HasSubstr("width=\"0.00\"")));
    EXPECT_THAT(svg, HasSubstr("M462.9 "));  // the error bar of 1.0 begins at 0.9
}

TEST(Svg, NothingAtAllAndNamesWithoutEnd) {
    EXPECT_THAT(svg_of({}), HasSubstr("</svg>"));
    auto figure = two_sides();
    figure.groups[0].label = std::string(10000, 'x');
    figure.groups[1].label = "\x01\xc3\xa4";
    const std::string svg = svg_of(figure);
    EXPECT_THAT(svg, HasSubstr("\u2026"));
    EXPECT_THAT(svg, Not(HasSubstr("\x01")));
}

}  // namespace
}  // namespace ringside::render
