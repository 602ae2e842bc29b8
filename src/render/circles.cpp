// A ring for each series: the area of each part is its share. Parts have numbers as well as
// colours, and a table below says which is which.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "render/charts.h"
#include "render/letters.h"
#include "render/parts_table.h"

namespace ringside::render {

namespace {

using model::Figure;
using model::Part;
using model::Parts;

constexpr Font key_font{8.5, true};
constexpr double most_radius = 68;
constexpr double hole = 0.55;  // of the radius

class Circles {
  public:
    Circles(const Figure& figure, const Parts& parts)
        : figure_(figure), parts_(parts), sheet_(parts_width(figure)) {
        const std::size_t count = std::max<std::size_t>(1, figure.series.size());
        columns_ = count <= 4 ? std::min<std::size_t>(2, count) : 3;
        cell_ = (sheet_.right() - margin) / static_cast<double>(columns_);
        radius_ = std::min(most_radius, cell_ / 2 - 12);
    }

    Picture draw() {
        sheet_.title(figure_);
        sheet_.words(shortened(clean(figure_.axis), label_font, sheet_.right() - margin),
                     {margin, sheet_.y + 9});
        sheet_.y += 16;
        const double row = 2 * radius_ + 38;
        for (std::size_t i = 0; i < figure_.series.size(); ++i) {
            const std::size_t line = i / columns_;
            draw_circle(i, {margin + cell_ * (static_cast<double>(i % columns_) + 0.5),
                            sheet_.y + static_cast<double>(line) * row + 22 + radius_});
        }
        const std::size_t lines = (figure_.series.size() + columns_ - 1) / columns_;
        sheet_.y += row * static_cast<double>(lines) - 6;
        const auto share = [&](const Part& part, std::size_t series) -> std::string {
            const auto whole = whole_of(parts_, series);
            if (series >= part.values.size() || !part.values[series] || !whole || *whole == 0) {
                return "\u2013";
            }
            return fmt::format("{:.1f} %", 100 * drawable(part, series) / *whole);
        };
        draw_parts_table(sheet_, figure_, parts_, share, true);
        return sheet_.finish(figure_);
    }

  private:
    void draw_circle(std::size_t series, Point centre) {
        const std::string name = clean(figure_.series[series]);
        sheet_.words(shortened(name, {9.5, true}, cell_ - 8), {centre.x, centre.y - radius_ - 14},
                     Anchor::middle, {9.5, true});
        const auto whole = whole_of(parts_, series);
        if (!whole || *whole == 0) {
            sheet_.wedge({centre, radius_ - 0.7, radius_, 0, 1, ink::grid, ""});
            sheet_.words(whole ? "nothing sampled" : "not measured", {centre.x, centre.y + 3},
                         Anchor::middle, number_font, ink::grey);
            return;
        }
        double from = 0;
        for (std::size_t i = 0; i < parts_.parts.size(); ++i) {
            const double share = drawable(parts_.parts[i], series) / *whole;
            if (share > 0) draw_part(series, i, centre, from, share);
            from += share;
        }
        sheet_.words(Numbers(*whole, *whole == std::floor(*whole)).text(*whole),
                     {centre.x, centre.y + 3}, Anchor::middle, {10, true});
    }

    void draw_part(std::size_t series, std::size_t index, Point centre, double from, double share) {
        const Part& part = parts_.parts[index];
        const Colour fill = part_colour(index, part.rest);
        const double inner = radius_ * hole;
        sheet_.wedge(
            {centre, inner, radius_, from, std::min(1.0, from + share), fill,
             fmt::format("{}: {}: {:.1f} %", figure_.series[series], part.label, 100 * share)});
        const std::string key = std::to_string(index + 1);
        const double middle = (inner + radius_) / 2;
        const double arc = 2 * std::numbers::pi * middle * share;
        const bool inside = arc >= text_width(key, key_font) + 4;
        const double angle = 2 * std::numbers::pi * (from + share / 2);
        const double far = inside ? middle : radius_ + 6;
        const Point at{centre.x + far * std::sin(angle), centre.y - far * std::cos(angle) + 3};
        if (!inside && is_taken(at)) return;  // the table has it
        if (!inside) outside_.push_back(at);
        sheet_.words(key, at, Anchor::middle, key_font, inside ? words_on(fill) : ink::black);
    }

    // By another number beside the ring.
    bool is_taken(Point at) const {
        return std::any_of(outside_.begin(), outside_.end(), [&](Point other) {
            return std::abs(at.x - other.x) < key_font.size &&
                   std::abs(at.y - other.y) < key_font.size;
        });
    }

    const Figure& figure_;
    const Parts& parts_;
    Sheet sheet_;
    std::size_t columns_ = 1;
    double cell_ = 0;
    double radius_ = 0;
    std::vector<Point> outside_;  // where numbers stand beside the rings
};

}  // namespace

Picture draw_circles(const Figure& figure, const Parts& parts) {
    return Circles(figure, parts).draw();
}

}  // namespace ringside::render
