// A bar for each series, made of its parts, all to one scale; a table below has their numbers.
#include <algorithm>

#include <fmt/format.h>

#include "render/charts.h"
#include "render/letters.h"
#include "render/parts_table.h"

namespace ringside::render {

namespace {

using model::Figure;
using model::Part;
using model::Parts;

constexpr double bar_height = 16;

double most_of(const Figure& figure, const Parts& parts) {
    double most = 0;
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
        most = std::max(most, whole_of(parts, i).value_or(0));
    }
    return most;
}

class Stacks {
  public:
    Stacks(const Figure& figure, const Parts& parts)
        : figure_(figure),
          parts_(parts),
          axis_(axis_for(most_of(figure, parts))),
          numbers_(most_of(figure, parts)),
          sheet_(parts_width(figure)) {}

    Picture draw() {
        sheet_.title(figure_);
        const double top = sheet_.y;
        for (std::size_t i = 0; i < figure_.series.size(); ++i) draw_stack(i);
        if (sheet_.y == top) sheet_.y += 4;
        sheet_.line({{left, sheet_.y}, {right(), sheet_.y}}, ink::frame);
        sheet_.axis_below(axis_, left, right(), figure_.axis);
        sheet_.y += 2;
        const auto value = [&](const Part& part, std::size_t series) {
            return series < part.values.size() ? numbers_.text(part.values[series]) : "\u2013";
        };
        draw_parts_table(sheet_, figure_, parts_, value, false);
        return sheet_.finish(figure_);
    }

  private:
    static constexpr double left = margin + 0.5;
    double right() const { return sheet_.right() - 10; }
    double x_of(double value) const { return left + (right() - left) * value / axis_.end; }

    void draw_stack(std::size_t series) {
        const auto whole = whole_of(parts_, series);
        const std::string total = whole ? "in all " + numbers_.text(*whole) : "not measured";
        const double room = sheet_.right() - margin - text_width(total, number_font) - 8;
        sheet_.words(shortened(clean(figure_.series[series]), label_font, room),
                     {margin, sheet_.y + 9});
        sheet_.words(total, {sheet_.right(), sheet_.y + 9}, Anchor::end, number_font);
        sheet_.y += 12;
        for (const double tick : axis_.ticks()) {
            sheet_.line({{x_of(tick), sheet_.y - 0.5}, {x_of(tick), sheet_.y + bar_height + 1}},
                        tick == 0 ? ink::frame : ink::grid);
        }
        double sum = 0;
        for (std::size_t i = 0; i < parts_.parts.size(); ++i) {
            const double value = drawable(parts_.parts[i], series);
            if (value > 0) draw_part(series, i, sum, value);
            sum += value;
        }
        sheet_.y += bar_height + 7;
    }

    void draw_part(std::size_t series, std::size_t index, double from, double value) {
        const Part& part = parts_.parts[index];
        const Colour fill = part_colour(index, part.rest);
        const double x = x_of(from);
        const double width = x_of(from + value) - x;
        sheet_.box({x, sheet_.y, width, bar_height}, fill,
                   fmt::format("{}: {}: {:.4g}", figure_.series[series], part.label, value));
        const std::string name = clean(part.label);
        if (text_width(name, number_font) > width - 4) return;  // the table has it
        sheet_.words(name, {x + width / 2, sheet_.y + 11}, Anchor::middle, number_font,
                     words_on(fill));
    }

    const Figure& figure_;
    const Parts& parts_;
    Axis axis_;
    Numbers numbers_;
    Sheet sheet_;
};

}  // namespace

Picture draw_stacks(const Figure& figure, const Parts& parts) {
    return Stacks(figure, parts).draw();
}

}  // namespace ringside::render
