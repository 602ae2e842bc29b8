#include "render/layout.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "figures.h"
#include "render/sheet.h"

namespace ringside::render {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

bool overlap(const Rect& a, const Rect& b) {
    constexpr double touch = 0.01;
    return a.x < b.right() - touch && b.x < a.right() - touch && a.y < b.bottom() - touch &&
           b.y < a.bottom() - touch;
}

// Turned words lie beside each other although the boxes around them do not.
std::vector<Words> upright_words(const Picture& picture) {
    auto words = shapes<Words>(picture);
    std::erase_if(words, [](const Words& each) { return each.turned != 0; });
    return words;
}

void expect_sound(const Picture& picture) {
    const auto words = upright_words(picture);
    for (std::size_t i = 0; i < words.size(); ++i) {
        for (std::size_t j = i + 1; j < words.size(); ++j) {
            EXPECT_FALSE(overlap(bounds(words[i]), bounds(words[j])))
                << words[i].text << " and " << words[j].text;
        }
    }
    for (const auto& each : shapes<Words>(picture)) {
        const Rect room = bounds(each);
        EXPECT_GE(room.x, 0) << each.text;
        EXPECT_GE(room.y, 0) << each.text;
        EXPECT_LE(room.right(), picture.width) << each.text;
        EXPECT_LE(room.bottom(), picture.height) << each.text;
        EXPECT_GE(each.font.size, 8) << each.text;  // 5.7 points in a column
    }
    for (const auto& box : shapes<Box>(picture)) {
        EXPECT_TRUE(std::isfinite(box.rect.width) && box.rect.width >= 0);
        EXPECT_TRUE(std::isfinite(box.rect.height) && box.rect.height >= 0);
        EXPECT_LE(box.rect.right(), picture.width);
        EXPECT_LE(box.rect.bottom(), picture.height);
    }
}

// The bars have a hint, the keys of the legend have none.
std::vector<Box> values(const Picture& picture) {
    auto boxes = shapes<Box>(picture);
    std::erase_if(boxes, [](const Box& box) { return box.hint.empty(); });
    return boxes;
}

TEST(Layout, WordsOfEveryFormStandApartAndInside) {
    for (const auto& figure : all_forms()) expect_sound(lay_out(figure));
}

TEST(Layout, RowsAreAsLongAsTheirValues) {
    const Picture picture = lay_out(two_sides());
    const auto bars = values(picture);
    ASSERT_EQ(bars.size(), 3u);  // the dead one has none
    EXPECT_NEAR(bars[1].rect.width, 2 * bars[0].rect.width, 1e-9);
    EXPECT_NEAR(bars[2].rect.width, bars[0].rect.width / 2, 1e-9);
    EXPECT_EQ(bars[0].fill, series_colour(0));
    EXPECT_EQ(bars[1].fill, series_colour(1));
    EXPECT_LT(bars[0].rect.y, bars[1].rect.y);
    EXPECT_THAT(texts(picture), Contains("[.] solve *"));
    EXPECT_THAT(texts(picture), Contains("[k] clear_page"));
    EXPECT_THAT(texts(picture), Contains("bt.A"));
    EXPECT_THAT(texts(picture), Contains("not measured: dead"));
    EXPECT_THAT(texts(picture), Contains("\u2013"));
    EXPECT_THAT(texts(picture), Contains("0.500"));
}

TEST(Layout, ErrorBarsReachFromLowToHigh) {
    const Picture picture = lay_out(two_sides());
    const auto bar = values(picture).front();
    bool found = false;
    for (const auto& line : shapes<Line>(picture)) {
        const auto& [from, to] = std::tie(line.points.front(), line.points.back());
        if (from.y != to.y || !(line.colour == ink::black)) continue;
        found = true;
        EXPECT_NEAR(from.x - bar.rect.x, 0.9 * bar.rect.width, 1e-9);
        EXPECT_NEAR(to.x - bar.rect.x, 1.1 * bar.rect.width, 1e-9);
    }
    EXPECT_TRUE(found);
}

TEST(Layout, ColumnsHaveTheFirstSeriesAtTheLeft) {
    const Picture picture = lay_out(columns());
    const auto bars = values(picture);
    ASSERT_EQ(bars.size(), 3u);
    EXPECT_LE(bars[0].rect.right(), bars[1].rect.x + 1e-9);
    EXPECT_NEAR(bars[1].rect.height, 2 * bars[0].rect.height, 1e-9);
    EXPECT_NEAR(bars[0].rect.bottom(), bars[1].rect.bottom(), 1e-9);
    EXPECT_THAT(texts(picture), Contains("not measured: dead"));
}

TEST(Layout, TurnedNamesAreFurtherApartThanTheyAreHigh) {
    model::Figure figure = columns();
    auto& bars = std::get<model::Bars>(figure.content);
    for (int i = 0; i < 60; ++i) bars.groups.push_back(bars.groups[0]);
    const Picture picture = lay_out(figure);
    expect_sound(picture);
    EXPECT_GT(picture.width, column_width);
    const Words* before = nullptr;
    const auto words = shapes<Words>(picture);
    for (const auto& each : words) {
        if (each.turned != -60) continue;
        if (before != nullptr) {
            EXPECT_GE((each.at.x - before->at.x) * std::sin(M_PI / 3), each.font.size);
        }
        before = &each;
    }
    EXPECT_NE(before, nullptr);
}

TEST(Layout, WedgesAreSharesAndGapsAreNone) {
    const Picture picture = lay_out(parts(true));
    std::vector<double> turns;
    for (const auto& wedge : shapes<Wedge>(picture)) {
        if (!wedge.hint.empty()) turns.push_back(wedge.to - wedge.from);
    }
    EXPECT_THAT(turns, testing::ElementsAre(0.75, 0.25, 0.5, 0.5));
    EXPECT_THAT(texts(picture), Contains("75.0 %"));
    EXPECT_THAT(texts(picture), Contains("0.0 %"));         // an honest 0
    EXPECT_THAT(texts(picture), Contains("\u2013"));        // not known
    EXPECT_THAT(texts(picture), Contains("not measured"));  // of the whole circle
    EXPECT_THAT(texts(picture), Contains("[k] schedule"));
}

TEST(Layout, StacksLieBesideEachOtherToOneScale) {
    const Picture picture = lay_out(parts(false));
    const auto boxes = values(picture);
    ASSERT_EQ(boxes.size(), 4u);
    EXPECT_NEAR(boxes[0].rect.right(), boxes[1].rect.x, 1e-9);
    EXPECT_NEAR(boxes[0].rect.width, 3 * boxes[1].rect.width, 1e-9);
    EXPECT_NEAR(boxes[2].rect.width, boxes[1].rect.width, 1e-9);
    EXPECT_THAT(texts(picture), Contains("in all 4.000"));
    EXPECT_THAT(texts(picture), Contains("not measured"));
}

TEST(Layout, LinesOverTimeBreakWhereNothingIsKnown) {
    const Picture picture = lay_out(over_time());
    std::vector<std::size_t> first_series;
    for (const auto& line : shapes<Line>(picture)) {
        if (line.colour == series_colour(0) && line.width < 1.4) {
            first_series.push_back(line.points.size());
        }
    }
    EXPECT_THAT(first_series, testing::ElementsAre(4u, 2u, 2u));
    EXPECT_THAT(texts(picture), Contains("stolen time [% of a CPU]"));
    EXPECT_THAT(texts(picture), Contains("seconds since the start"));
}

TEST(Layout, NoNumberIsDrawnForWhatIsNone) {
    model::Figure figure = two_sides();
    auto& groups = std::get<model::Bars>(figure.content).groups;
    groups[0].bars[0].value = std::numeric_limits<double>::quiet_NaN();
    groups[0].bars[1].high = std::numeric_limits<double>::infinity();
    for (const bool upright : {false, true}) {
        std::get<model::Bars>(figure.content).upright = upright;
        const Picture picture = lay_out(figure);
        expect_sound(picture);
        EXPECT_EQ(values(picture).size(), 2u);
        EXPECT_THAT(texts(picture), Each(Not(testing::AnyOf(HasSubstr("nan"), HasSubstr("inf")))));
    }
    model::Figure circles = parts(true);
    std::get<model::Parts>(circles.content).parts[0].values[0] = std::nan("");
    expect_sound(lay_out(circles));
    model::Figure timeline = over_time();
    std::get<model::Timeline>(timeline.content).strips[0].lines[0][0].value = std::nan("");
    expect_sound(lay_out(timeline));
}

TEST(Layout, AbsurdNamesStayInside) {
    for (const std::string& name :
         {std::string(10000, 'W'), std::string("<&>\"'"), std::string("\x01\xff"),
          std::string("\u65e5\u672c\u8a9e \u00fc\u00f6"), std::string()}) {
        for (auto figure : all_forms()) {
            figure.title = figure.caption = figure.axis = name;
            for (auto& series : figure.series) series = name;
            if (auto* bars = std::get_if<model::Bars>(&figure.content)) {
                for (auto& group : bars->groups) group.label = group.place = name;
            } else if (auto* parts = std::get_if<model::Parts>(&figure.content)) {
                for (auto& part : parts->parts) part.label = part.place = name;
            } else {
                for (auto& strip : std::get<model::Timeline>(figure.content).strips) {
                    strip.axis = name;
                }
            }
            expect_sound(lay_out(figure));
        }
    }
}

TEST(Layout, ManySeriesAndNone) {
    for (auto figure : all_forms()) {
        figure.series = {"a", "b", "c", "d", "e", "f", "g", "h"};
        expect_sound(lay_out(figure));
        figure.series.clear();
        expect_sound(lay_out(figure));
    }
    expect_sound(lay_out({}));
    EXPECT_THAT(shapes<Wedge>(lay_out({})), IsEmpty());
}

TEST(Numbers, PointsOfAColumnStandBelowEachOther) {
    const Numbers small(0.3483);
    EXPECT_EQ(small.text(0.3483), "0.3483");
    EXPECT_EQ(small.text(0.0024), "0.0024");
    EXPECT_EQ(small.text(0.0), "0.0000");
    EXPECT_EQ(small.text(1e-9), "<0.0001");
    EXPECT_EQ(Numbers(1234567).text(1234567), "1235k");
    EXPECT_EQ(Numbers(1234567).text(0), "0");
    EXPECT_EQ(Numbers(3708).text(3708), "3708");
    EXPECT_EQ(Numbers(7, true).text(7), "7");
    EXPECT_EQ(Numbers(7).text(7), "7.000");
    EXPECT_EQ(small.text(std::optional<double>()), "\u2013");
    EXPECT_EQ(small.text(std::optional(std::nan(""))), "\u2013");
}

TEST(Colours, WordsCanBeReadOnThem) {
    for (std::size_t i = 0; i < 9; ++i) {
        const Colour fill = part_colour(i, false);
        EXPECT_TRUE(words_on(fill) == ink::black || words_on(fill) == ink::white);
        EXPECT_FALSE(fill == part_colour(i + 1, false));
    }
    EXPECT_EQ(words_on({0x0072b2}), ink::white);
    EXPECT_EQ(words_on({0xf0e442}), ink::black);
}

}  // namespace
}  // namespace ringside::render
