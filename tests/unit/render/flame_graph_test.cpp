#include "render/flame_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/xml_text.h"

namespace ringside::render {
namespace {

using model::FrameKind;
using ::testing::HasSubstr;
using ::testing::Not;

// g and all above: 5 of 10 before, 15 of 20 now.
model::FlameFigure grown() {
    model::FlameFigure figure;
    figure.event = "cycles";
    figure.series = {"before", "now"};
    figure.frames = {{"f<int>", "app & \"co\"", FrameKind::user},
                     {"g", "app", FrameKind::user},
                     {"do_work", "[kernel]", FrameKind::kernel}};
    figure.nodes = {{0, 0, {10, 20}}, {0, 0, {10, 20}}, {1, 1, {5, 15}}, {1, 2, {2, 2}}};
    return figure;
}

TEST(FlameGraph, EveryFrameIsThereAndEscaped) {
    const auto svg = flame_file(grown(), {.title = "a < b"});
    EXPECT_THAT(svg, HasSubstr("<title>f&lt;int&gt;\napp &amp; &quot;co&quot;: 10 of cycles, "
                               "100.00 %</title>"));
    EXPECT_THAT(svg, HasSubstr("<title>do_work\n[kernel]: 2 of cycles, 20.00 %</title>"));
    EXPECT_THAT(svg, HasSubstr("a &lt; b"));
    EXPECT_THAT(svg, Not(HasSubstr("<int>")));
    EXPECT_THAT(svg, HasSubstr("<g class=\"k\">"));
}

TEST(FlameGraph, ADifferenceShowsWhoGrew) {
    const auto svg = flame_part(grown(), {.series = 1, .before = 0});
    EXPECT_THAT(svg, HasSubstr("<title>g\napp: 15 of cycles, 75.00 %, +25.00 points</title>"));
    EXPECT_THAT(svg, HasSubstr("<title>do_work\n[kernel]: 2 of cycles, 10.00 %, -10.00 points<"));
    EXPECT_THAT(svg, HasSubstr("fill=\"rgb(235,118,20)\""));
    EXPECT_THAT(svg, HasSubstr("fill=\"rgb(70,156,230)\""));
    const auto same = flame_part(grown(), {.series = 1, .before = 1});
    EXPECT_THAT(same, HasSubstr("+0.00 points"));
    EXPECT_THAT(same, Not(HasSubstr("rgb(235,118,20)")));
}

TEST(FlameGraph, NothingRecordedIsStillAPicture) {
    model::FlameFigure figure;
    figure.series = {"now"};
    figure.nodes = {{0, 0, {0}}};
    EXPECT_THAT(flame_file(figure, {}), HasSubstr("</svg>"));
}

TEST(XmlText, WhateverComesStaysTextAndUtf8) {
    EXPECT_EQ(xml_text("<a b='c' d=\"e\">&"), "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;");
    EXPECT_EQ(xml_text("\u00fc\u4e16"), "\u00fc\u4e16");
    EXPECT_EQ(xml_text(std::string_view("a\0b\x1b\x7f", 5)), "a\uFFFDb\uFFFD\uFFFD");
    EXPECT_EQ(xml_text("\xff\xc3"), "\uFFFD\uFFFD");
    EXPECT_EQ(xml_text("\xef\xbf\xbe"), "\uFFFD");
    // Nobody sees these, and one turns the letters behind it around.
    EXPECT_EQ(xml_text("a\u202eb\u2066c\u200bd\u2028e\u0085f"),
              "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe\uFFFDf");
    EXPECT_EQ(xml_text("a\n\tb\u00fc"), "a\n\tb\u00fc");
}

TEST(XmlText, CutsBetweenLetters) {
    EXPECT_EQ(cut_text("abc", 3), "abc");
    EXPECT_EQ(cut_text("abcd", 3), "abc");
    EXPECT_EQ(cut_text("\u00fc\u00fc\u00fc\u00fc", 3), "\u00fc\u00fc\u00fc");
    EXPECT_EQ(cut_text("", 3), "");
}

}  // namespace
}  // namespace ringside::render
