#include "render/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::render {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Html, DataCannotEndItsScript) {
    const auto page = html_page({"t", "<p>body</p>", R"({"a":"</script><!--<script>"})"});
    EXPECT_THAT(page, HasSubstr(R"({"a":"\u003c/script>\u003c!--\u003cscript>"})"));
    EXPECT_THAT(page, HasSubstr("<p>body</p>"));
}

TEST(Html, TitleIsText) {
    EXPECT_THAT(html_page({"a </title><b>", "", "{}"}), HasSubstr("<title>a &lt;/title&gt;&lt;b"));
}

TEST(Html, OnlyItsOwnScriptsMayRun) {
    const auto page = html_page({"t", "", "{}"});
    EXPECT_THAT(page, HasSubstr("default-src 'none'"));
    EXPECT_THAT(page, ::testing::ContainsRegex("script-src 'sha256-[A-Za-z0-9+/]{43}=' 'sha256-"));
    EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
}

TEST(Html, PicturesInOnePageKeepTheirIdsApart) {
    const auto svg = inline_svg(
        "<?xml version=\"1.0\"?>\n<svg aria-labelledby=\"title desc\"><title id=\"title\">x</title>"
        "<use href=\"#a\"/><path fill=\"url(#a)\"/></svg>",
        "p-");
    EXPECT_EQ(svg,
              "<svg aria-labelledby=\"p-title p-desc\"><title id=\"p-title\">x</title>"
              "<use href=\"#p-a\"/><path fill=\"url(#p-a)\"/></svg>");
    EXPECT_EQ(inline_svg("<svg><text>url(#a) id=&quot;a</text></svg>", "p-"),
              "<svg><text>url(#a) id=&quot;a</text></svg>")
        << "names stay as they are";
}

}  // namespace
}  // namespace ringside::render
