#include "render/sheet.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "render/describe.h"
#include "render/letters.h"

namespace ringside::render {

namespace {

constexpr std::array<Colour, 6> series_colours = {
    {{0x0072b2}, {0xe69f00}, {0x009e73}, {0x56b4e9}, {0xd55e00}, {0xcc79a7}}};
constexpr std::array<Colour, 9> part_colours = {{{0x0072b2},
                                                 {0xe69f00},
                                                 {0x009e73},
                                                 {0xf0e442},
                                                 {0xd55e00},
                                                 {0x56b4e9},
                                                 {0xcc79a7},
                                                 {0x332288},
                                                 {0xaaaa66}}};
constexpr Colour rest_colour{0xbbbbbb};
constexpr double key_size = 8;

}  // namespace

Colour series_colour(std::size_t series) {
    return series_colours[series % series_colours.size()];
}

Colour part_colour(std::size_t part, bool rest) {
    return rest ? rest_colour : part_colours[part % part_colours.size()];
}

// By relative luminance; black and white are equally far from 0.18 (WCAG 2.1, contrast ratio).
Colour words_on(Colour fill) {
    const auto channel = [&](int shift) {
        return std::pow(static_cast<double>(fill.rgb >> shift & 0xff) / 255, 2.2);
    };
    const double luminance = 0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0);
    return luminance > 0.18 ? ink::black : ink::white;
}

std::vector<double> series_dashes(std::size_t series) {
    constexpr std::size_t patterns = 4;
    switch (series % patterns) {
        case 0:
            return {};
        case 1:
            return {5, 2};
        case 2:
            return {1.5, 1.5};
        default:
            return {6, 2, 1.5, 2};
    }
}

void Sheet::box(Rect rect, Colour fill, std::string_view hint) {
    picture_.shapes.emplace_back(Box{rect, fill, clean(hint)});
}

void Sheet::wedge(Wedge wedge) {
    wedge.hint = clean(wedge.hint);
    picture_.shapes.emplace_back(std::move(wedge));
}

void Sheet::line(std::vector<Point> points, Colour colour, double width,
                 std::vector<double> dashes) {
    picture_.shapes.emplace_back(Line{std::move(points), colour, width, std::move(dashes)});
}

void Sheet::put(std::string_view text, Point at, Anchor anchor, Font font, Colour colour,
                double degrees) {
    std::string drawn = clean(text);
    const double width = text_width(drawn, font);
    picture_.shapes.emplace_back(Words{std::move(drawn), at, anchor, font, colour, degrees, width});
}

void Sheet::words(std::string_view text, Point at, Anchor anchor, Font font, Colour colour) {
    if (!text.empty()) put(text, at, anchor, font, colour, 0);
}

void Sheet::turned_words(std::string_view text, Point at, double degrees, Font font,
                         Colour colour) {
    put(text, at, Anchor::end, font, colour, degrees);
}

void Sheet::label(const std::string& mark, const std::string& name, const std::string& place,
                  bool stressed, Point at, double room) {
    const std::string head = mark.empty() ? "" : mark + " ";
    const std::string tail = stressed ? " *" : "";
    const double gap = text_width(" ", label_font);
    const double fixed = text_width(head + tail, label_font) + gap;
    const double most_place = (room - fixed) / 3;
    const std::string where = shortened(clean(place), number_font, most_place);
    const double where_width = text_width(where, number_font);
    const std::string text =
        head + shortened(clean(name), label_font, room - fixed - where_width) + tail;
    words(text, at);
    words(where, {at.x + text_width(text, label_font) + gap, at.y}, Anchor::start, number_font,
          ink::grey);
}

void Sheet::label(const model::BarGroup& group, Point at, double room) {
    label(group.mark, group.label, group.place, group.stressed, at, room);
}

void Sheet::label(const model::Part& part, Point at, double room) {
    label(part.mark, part.label, part.place, false, at, room);
}

void Sheet::title(const model::Figure& figure) {
    const double room = right() - margin;
    for (const auto& text : wrapped(clean(figure.title), title_font, room, 2)) {
        words(text, {margin, y + 10}, Anchor::start, title_font);
        y += 13;
    }
    if (!figure.title.empty()) y += 3;
}

void Sheet::legend(const std::vector<std::string>& series, LegendKey key) {
    const double key_width = key == LegendKey::area ? key_size : 22;
    double x = margin;
    for (std::size_t i = 0; i < series.size(); ++i) {
        const std::string name =
            shortened(clean(series[i]), label_font, right() - margin - key_width - 4);
        const double needed = key_width + 4 + text_width(name, label_font);
        if (x > margin && x + needed > right()) {
            x = margin;
            y += 12;
        }
        if (key == LegendKey::area) {
            box({x, y + 1, key_width, key_size}, series_colour(i));
        } else {
            line({{x, y + 5}, {x + key_width, y + 5}}, series_colour(i), 1.5, series_dashes(i));
        }
        words(name, {x + key_width + 4, y + 8.5});
        x += needed + 14;
    }
    y += 16;
}

void Sheet::axis_below(const Axis& axis, double left, double right, std::string_view name) {
    const double scale = (right - left) / axis.end;
    for (const double tick : axis.ticks()) {
        const double x = left + scale * tick;
        line({{x, y}, {x, y + 2.5}}, ink::frame);
        const std::string text = axis.label(tick);
        const bool first = tick == 0;
        words(text, {first ? std::max(x, margin + text_width(text, number_font) / 2) : x, y + 12.5},
              Anchor::middle, number_font, ink::grey);
    }
    y += 15.5;
    if (name.empty()) return;
    words(shortened(clean(name), label_font, this->right() - margin),
          {(margin + this->right()) / 2, y + 9}, Anchor::middle);
    y += 13;
}

Picture Sheet::finish(const model::Figure& figure) {
    constexpr std::size_t most_lines = 6;
    const auto lines = wrapped(clean(figure.caption), number_font, right() - margin, most_lines);
    if (!lines.empty()) y += 2;
    for (const auto& text : lines) {
        words(text, {margin, y + 9}, Anchor::start, number_font, ink::grey);
        y += 11.5;
    }
    picture_.height = std::ceil(y + margin);
    picture_.title = clean(figure.title.empty() ? figure.axis : figure.title);
    picture_.description = describe(figure);
    return std::move(picture_);
}

Numbers::Numbers(double most, bool whole) {
    if (!(most > 0) || !std::isfinite(most)) return;
    for (const auto& [factor, letter] : std::array<std::pair<double, const char*>, 4>{
             {{1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}}}) {
        if (most < 10 * factor) break;
        factor_ = factor;
        letter_ = letter;
    }
    constexpr double significant = 4;
    const double before_point = std::floor(std::log10(most / factor_)) + 1;
    const bool plain = factor_ == 1 && (whole || most >= 1000);
    digits_ = plain ? 0 : static_cast<int>(std::clamp(significant - before_point, 0.0, 9.0));
}

std::string Numbers::text(double value) const {
    if (value == 0 && factor_ > 1) return "0";
    const double shown = value / factor_;
    const double least = std::pow(10, -digits_);
    if (shown > 0 && shown < least / 2) return fmt::format("<{:.{}f}{}", least, digits_, letter_);
    return fmt::format("{:.{}f}{}", shown, digits_, letter_);
}

std::string Numbers::text(const std::optional<double>& value) const {
    return value && std::isfinite(*value) ? text(*value) : "\u2013";
}

}  // namespace ringside::render
