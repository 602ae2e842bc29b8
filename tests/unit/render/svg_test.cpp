#include "render/svg.h"

#include <gmock/gmock.h>

#include "figures.h"
#include "render/layout.h"

namespace ringside::render {
namespace {

using testing::HasSubstr;
using testing::Not;

// Tags closed in the order in which they were opened, attributes in quotes, no stray "<" or "&".
bool is_well_formed(std::string_view xml) {
    std::vector<std::string> open;
    while (!xml.empty()) {
        if (xml.front() == '&') {
            const auto name = xml.substr(0, xml.find(';') + 1);
            if (name != "&amp;" && name != "&lt;" && name != "&gt;" && name != "&quot;")
                return false;
        }
        if (xml.front() != '<') {
            xml.remove_prefix(1);
            continue;
        }
        const auto end = xml.find('>');
        if (end == std::string_view::npos) return false;
        const std::string_view tag = xml.substr(1, end - 1);
        if (tag.find('<') != std::string_view::npos) return false;
        if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return false;
        if (tag.front() == '/') {
            if (open.empty() || open.back() != tag.substr(1)) return false;
            open.pop_back();
        } else if (tag.back() != '/') {
            open.emplace_back(tag.substr(0, tag.find(' ')));
        }
        xml.remove_prefix(end + 1);
    }
    return open.empty();
}

TEST(Svg, IsWellFormedAndTheSameEachTime) {
    for (const auto& figure : all_forms()) {
        const std::string svg = svg_of(lay_out(figure));
        EXPECT_TRUE(is_well_formed(svg)) << svg;
        EXPECT_EQ(svg, svg_of(lay_out(figure)));
        EXPECT_THAT(svg, Not(HasSubstr("nan")));
        EXPECT_THAT(svg, Not(HasSubstr("inf\"")));
    }
    EXPECT_FALSE(is_well_formed("<a><b></a></b>"));
    EXPECT_FALSE(is_well_formed("<a>&nbsp</a>"));
}

TEST(Svg, HasRealTextAndWordsForListeners) {
    const std::string svg = svg_of(lay_out(two_sides()), "chart-1");
    EXPECT_THAT(svg, HasSubstr("role=\"img\" aria-labelledby=\"chart-1-title chart-1-desc\""));
    EXPECT_THAT(svg, HasSubstr("<title id=\"chart-1-title\">a &lt; b &amp; &quot;c&quot;</title>"));
    EXPECT_THAT(svg, HasSubstr("[.] solve bt.A: native 1; vm (TCG) 2; significant."));
    EXPECT_THAT(svg,
                HasSubstr("[k] clear_page [kernel]: native 0.5; vm (TCG) not measured, dead;"));
    EXPECT_THAT(svg, HasSubstr(">[.] solve *</text>"));
    EXPECT_THAT(svg, HasSubstr(">cpu-clock [s] per run</text>"));
    EXPECT_THAT(svg, HasSubstr("<title>solve: native: 1</title></rect>"));
}

TEST(Svg, AWholeTurnIsARing) {
    Picture picture;
    picture.shapes.emplace_back(Wedge{{50, 50}, 20, 40, 0, 1, {0x0072b2}, ""});
    EXPECT_THAT(svg_of(picture), HasSubstr("M50 10A40 40 0 0 1 50 90A40 40 0 0 1 50 10"
                                           "L50 30A20 20 0 0 0 50 70A20 20 0 0 0 50 30Z"));
}

TEST(Svg, AbsurdNames) {
    auto figure = two_sides();
    auto& groups = std::get<model::Bars>(figure.content).groups;
    groups[0].label = std::string(10000, 'x');
    groups[1].label = "\x01\xc3\xa4\xff]]>";
    const std::string svg = svg_of(lay_out(figure));
    EXPECT_TRUE(is_well_formed(svg));
    EXPECT_THAT(svg, HasSubstr("\u2026"));
    EXPECT_THAT(svg, HasSubstr("?\u00e4?]]&gt;"));
}

}  // namespace
}  // namespace ringside::render
