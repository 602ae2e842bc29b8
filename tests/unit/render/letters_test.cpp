#include "render/letters.h"

#include <gmock/gmock.h>

namespace ringside::render {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr Font font{10};

TEST(Letters, WidthsAreThoseOfTheTable) {
    EXPECT_DOUBLE_EQ(text_width("", font), 0);
    EXPECT_DOUBLE_EQ(text_width("0", font), 6.36);
    EXPECT_DOUBLE_EQ(text_width("00", font), 12.72);
    EXPECT_DOUBLE_EQ(text_width("0", {20}), 12.72);
    EXPECT_GT(text_width("w", {10, true}), text_width("w", font));
    EXPECT_DOUBLE_EQ(text_width("\u65e5", font), 10);  // no such letter in the table: wide
    EXPECT_DOUBLE_EQ(text_width("e\u0301", font), text_width("e", font));
}

TEST(Letters, CleanIsWhatXmlAndAReaderCanTake) {
    EXPECT_EQ(clean("a<b> & \u00e4\u65e5"), "a<b> & \u00e4\u65e5");
    EXPECT_EQ(clean("a\nb\tc"), "a b c");
    EXPECT_EQ(clean(std::string_view("\x01\x00\x7f", 3)), "???");
    EXPECT_EQ(clean("\xff\xc3"), "??");
    EXPECT_EQ(clean("\xef\xbf\xbf"), "?");  // U+FFFF
    EXPECT_EQ(clean("a\u202eb\u2069"), "a?b?");
}

TEST(Letters, ShortenedKeepsBothEndsAndFits) {
    const std::string name = "first_" + std::string(10000, 'x') + "_last";
    const std::string cut = shortened(name, font, 100);
    EXPECT_LE(text_width(cut, font), 100);
    EXPECT_GT(text_width(cut, font), 80);
    EXPECT_THAT(cut, StartsWith("first_"));
    EXPECT_THAT(cut, EndsWith("_last"));
    EXPECT_THAT(cut, HasSubstr("\u2026"));
    EXPECT_EQ(shortened("main", font, 100), "main");
    EXPECT_EQ(shortened("main", font, 0), "\u2026");
    std::string umlauts;
    for (int i = 0; i < 100; ++i) umlauts += "\u00e4";
    for (double width = 1; width < 60; width += 1) {
        const std::string part = shortened(umlauts, font, width);
        EXPECT_EQ(clean(part), part) << width;  // never cut within a letter
    }
}

TEST(Letters, WrappedBreaksBetweenWords) {
    EXPECT_THAT(wrapped("one two three", font, 45, 3), ElementsAre("one two", "three"));
    EXPECT_THAT(wrapped("", font, 45, 3), ElementsAre());
    const auto lines = wrapped("aa bb cc dd ee ff gg hh", font, 40, 2);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_THAT(lines[1], HasSubstr("\u2026"));
    for (const auto& line : wrapped(std::string(10000, 'x') + " y", font, 45, 3)) {
        EXPECT_LE(text_width(line, font), 45);
    }
}

TEST(Letters, BoundsFollowAnchorAndTurn) {
    Words words{"main", {50, 40}, Anchor::start, font, {}, 0, 30};
    EXPECT_DOUBLE_EQ(bounds(words).x, 50);
    EXPECT_DOUBLE_EQ(bounds(words).width, 30);
    EXPECT_DOUBLE_EQ(bounds(words).height, 10);
    words.anchor = Anchor::end;
    EXPECT_DOUBLE_EQ(bounds(words).right(), 50);
    words.turned = -90;  // upwards: its end is at the top
    EXPECT_NEAR(bounds(words).y, 40, 1e-9);
    EXPECT_NEAR(bounds(words).height, 30, 1e-9);
    EXPECT_NEAR(bounds(words).width, 10, 1e-9);
}

}  // namespace
}  // namespace ringside::render
