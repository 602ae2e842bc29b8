#include "render/painter.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include "base/text.h"
#include "base/visible.h"
#include "figures.h"
#include "render/layout.h"

namespace ringside::render {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string painted(const model::Figure& figure, Format format) {
#ifdef RINGSIDE_PAINT_MODULE
    const auto bytes = paint(lay_out(figure), format, RINGSIDE_PAINT_MODULE);
    EXPECT_TRUE(bytes) << bytes.error().what;
    return bytes ? *bytes : "";
#else
    (void)figure;
    (void)format;
    return "";
#endif
}

#ifdef RINGSIDE_PAINT_MODULE
constexpr bool has_module = true;
#else
constexpr bool has_module = false;
#endif

class Painter : public testing::Test {
  protected:
    void SetUp() override {
        if (!has_module) GTEST_SKIP() << "built without Pango: no PNG, PDF and EPS";
    }
};

std::uint32_t big_endian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

// Names of the chunks; empty if a checksum is wrong or bytes are missing.
std::vector<std::string> png_chunks(std::string_view bytes) {
    std::vector<std::string> names;
    bytes.remove_prefix(8);
    while (bytes.size() >= 12) {
        const std::size_t length = big_endian(bytes);
        if (bytes.size() < length + 12) return {};
        const auto* data = reinterpret_cast<const Bytef*>(bytes.data() + 4);
        if (::crc32(0, data, static_cast<uInt>(length + 4)) !=
            big_endian(bytes.substr(length + 8))) {
            return {};
        }
        names.emplace_back(bytes.substr(4, 4));
        bytes.remove_prefix(length + 12);
    }
    return bytes.empty() ? names : std::vector<std::string>();
}

TEST_F(Painter, PngIsWholeAndAsLargeAsPlanned) {
    for (const auto& figure : all_forms()) {
        const std::string png = painted(figure, Format::png);
        ASSERT_THAT(png, StartsWith("\x89PNG\r\n\x1a\n"));
        const Picture picture = lay_out(figure);
        EXPECT_EQ(big_endian(png.substr(16)), static_cast<std::uint32_t>(picture.width * 3));
        EXPECT_EQ(big_endian(png.substr(20)), static_cast<std::uint32_t>(picture.height * 3));
        const auto chunks = png_chunks(png);
        ASSERT_FALSE(chunks.empty());
        EXPECT_EQ(chunks.front(), "IHDR");
        EXPECT_EQ(chunks.back(), "IEND");
        EXPECT_EQ(png, painted(figure, Format::png));
    }
}

TEST_F(Painter, PdfIsAColumnWideAndKnowsItsTitle) {
    for (const auto& figure : all_forms()) {
        const std::string pdf = painted(figure, Format::pdf);
        EXPECT_THAT(pdf, StartsWith("%PDF-1."));
        EXPECT_THAT(pdf.substr(pdf.size() - 8), HasSubstr("%%EOF"));
        EXPECT_THAT(pdf, HasSubstr("/MediaBox [ 0 0 240.9"));  // 8.5 cm in points
        EXPECT_THAT(pdf, HasSubstr("/Title (a < b & \"c\")"));
        EXPECT_THAT(pdf, HasSubstr("/FontDescriptor"));  // text, not its outlines
    }
}

TEST_F(Painter, EpsHasTheBoundsAndTheEnd) {
    for (const auto& figure : all_forms()) {
        const std::string eps = painted(figure, Format::eps);
        EXPECT_THAT(eps, StartsWith("%!PS-Adobe-3.0 EPSF-3.0\n"));
        EXPECT_THAT(eps, HasSubstr("%%BoundingBox: "));
        EXPECT_THAT(eps, HasSubstr("%%Title: a < b & \"c\""));
        EXPECT_THAT(eps, HasSubstr("%%EOF"));
    }
}

TEST_F(Painter, AbsurdNamesAndSizes) {
    auto figure = two_sides();
    figure.title = std::string(10000, '(') + "\n%%EOF \u65e5";
    for (const auto format : {Format::png, Format::pdf, Format::eps}) {
        EXPECT_FALSE(painted(figure, format).empty());
    }
#ifdef RINGSIDE_PAINT_MODULE
    Picture picture;
    picture.width = 340;
    picture.height = 100000;  // more than an image can have
    const auto png = paint(picture, Format::png, RINGSIDE_PAINT_MODULE);
    ASSERT_FALSE(png);
    EXPECT_THAT(png.error().what, HasSubstr("cannot draw this: "));
#endif
}

TEST(Paint, FormatsByTheEnding) {
    EXPECT_EQ(format_of("a.svg"), Format::svg);
    EXPECT_EQ(format_of("dir.svg/a.PNG"), Format::png);
    EXPECT_EQ(format_of("a.pdf"), Format::pdf);
    EXPECT_EQ(format_of("a.eps"), Format::eps);
    EXPECT_EQ(format_of("a.gif"), std::nullopt);
    EXPECT_EQ(format_of("svg"), std::nullopt);
    EXPECT_EQ(format_of(""), std::nullopt);
}

TEST(Paint, SvgNeedsNoModuleAndTheOthersSayWhatIsMissing) {
    EXPECT_THAT(paint(lay_out(two_sides()), Format::svg, "").value(), StartsWith("<svg "));
    const auto png = paint(lay_out(two_sides()), Format::png, "/no/such/module.so");
    ASSERT_FALSE(png);
    EXPECT_THAT(png.error().what, HasSubstr("/no/such/module.so"));
}

// Names that would be more than text in PostScript or PDF, everywhere where names stand.
model::Figure hostile_figure() {
    model::Figure figure = two_sides();
    const std::string name =
        ") /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> (\\\n%%EOF\n(/etc/passwd) (r) "
        "file "
        "deletefile\nshowpage \xe2\x80\xae\xff\x1b[2J" +
        std::string(2000, '(');
    figure.title = figure.axis = figure.caption = name;
    figure.series = {name, name};
    for (auto& group : std::get<model::Bars>(figure.content).groups) {
        group.label = group.place = group.mark = name;
        for (auto& bar : group.bars) bar.note = name;
    }
    return figure;
}

// Behind a PDF's string that begins at `at`, by its own rules (ISO 32000-1, 7.3.4.2).
std::size_t end_of_pdf_string(std::string_view pdf, std::size_t at) {
    int open = 0;
    for (; at < pdf.size(); ++at) {
        if (pdf[at] == '\\') {
            ++at;
        } else if (pdf[at] == '(') {
            ++open;
        } else if (pdf[at] == ')' && --open == 0) {
            return at + 1;
        }
    }
    return std::string_view::npos;
}

TEST_F(Painter, NamesAreNoPostScript) {
    const std::string eps = painted(hostile_figure(), Format::eps);
    ASSERT_THAT(eps, StartsWith("%!PS-Adobe-3.0 EPSF-3.0"));
    std::size_t ends = 0;
    for (const auto line : base::split_lines(eps)) {
        ends += line == "%%EOF" ? 1 : 0;
        if (line.starts_with("%%Title:")) {
            EXPECT_LE(line.size(), 220u);
            continue;
        }
        // Letters are drawn by their numbers; no name is spelled anywhere.
        EXPECT_EQ(line.find("deletefile"), std::string_view::npos) << line;
        EXPECT_EQ(line.find("OpenAction"), std::string_view::npos) << line;
        EXPECT_TRUE(base::is_visible(base::trim_end(line))) << line;
    }
    EXPECT_EQ(ends, 1u);
}

TEST_F(Painter, NamesAreNoPdf) {
    const std::string pdf = painted(hostile_figure(), Format::pdf);
    ASSERT_THAT(pdf, StartsWith("%PDF-"));
    // With its strings taken out, nothing of the names is left.
    std::string rest = pdf;
    for (const std::string_view key : {"/Title (", "/Subject ("}) {
        const auto at = rest.find(key);
        if (at == std::string::npos) continue;  // written as hexadecimal digits
        const auto end = end_of_pdf_string(rest, at + key.size() - 1);
        ASSERT_NE(end, std::string::npos) << key;
        rest.erase(at, end - at);
    }
    for (const char* command : {"/OpenAction", "/JavaScript", "/JS", "/Launch", "/URI"})
        EXPECT_EQ(rest.find(command), std::string::npos) << command;
}

}  // namespace
}  // namespace ringside::render
