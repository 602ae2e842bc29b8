// Bars: below each other with the name of each group above it, or beside each other with the names
// turned below.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "render/charts.h"
#include "render/letters.h"
#include "render/sheet.h"

namespace ringside::render {

namespace {

using model::Bar;
using model::BarGroup;
using model::Bars;
using model::Figure;

bool is_known(const Bar& bar) {
    return bar.value && std::isfinite(*bar.value);
}

bool has_spread(const Bar& bar) {
    return std::isfinite(bar.low) && std::isfinite(bar.high) && bar.high > bar.low;
}

double most_of(const Bars& bars) {
    double most = 0;
    for (const BarGroup& group : bars.groups) {
        for (const Bar& bar : group.bars) {
            if (!is_known(bar)) continue;
            most = std::max({most, *bar.value, has_spread(bar) ? bar.high : 0});
        }
    }
    return most;
}

bool all_whole(const Bars& bars) {
    return std::all_of(bars.groups.begin(), bars.groups.end(), [](const BarGroup& group) {
        return std::all_of(group.bars.begin(), group.bars.end(), [](const Bar& bar) {
            return !is_known(bar) || *bar.value == std::floor(*bar.value);
        });
    });
}

bool has_unknown(const Bars& bars) {
    return std::any_of(bars.groups.begin(), bars.groups.end(), [](const BarGroup& group) {
        return !std::all_of(group.bars.begin(), group.bars.end(), is_known);
    });
}

std::string note_of(const Bar& bar) {
    return bar.note.empty() ? "not measured" : "not measured: " + bar.note;
}

std::string hint_of(const Figure& figure, const BarGroup& group, std::size_t series) {
    return fmt::format("{}: {}: {:.4g}", group.label, figure.series[series],
                       *group.bars[series].value);
}

std::size_t bars_in(const Figure& figure, const BarGroup& group) {
    return std::min(figure.series.size(), group.bars.size());
}

class Rows {
  public:
    Rows(const Figure& figure, const Bars& bars)
        : figure_(figure),
          bars_(bars),
          axis_(axis_for(most_of(bars))),
          numbers_(most_of(bars), all_whole(bars)) {
        double widest = 0;
        for (const BarGroup& group : bars.groups) {
            for (const Bar& bar : group.bars) {
                widest = std::max(widest, text_width(numbers_.text(bar.value), number_font));
            }
        }
        right_ = sheet_.right() - widest - 8;
    }

    Picture draw() {
        sheet_.title(figure_);
        sheet_.legend(figure_.series, LegendKey::area);
        for (const BarGroup& group : bars_.groups) draw_group(group);
        sheet_.line({{left, sheet_.y}, {right_, sheet_.y}}, ink::frame);
        sheet_.axis_below(axis_, left, right_, figure_.axis);
        return sheet_.finish(figure_);
    }

  private:
    static constexpr double left = margin + 0.5;
    static constexpr double bar_height = 8;
    static constexpr double bar_step = bar_height + 1;
    static constexpr double label_height = 12;
    static constexpr double group_gap = 5;

    double x_of(double value) const { return left + (right_ - left) * value / axis_.end; }

    void draw_group(const BarGroup& group) {
        sheet_.label(group, {margin, sheet_.y + 9}, sheet_.right() - margin);
        sheet_.y += label_height;
        const double height = static_cast<double>(figure_.series.size()) * bar_step;
        for (const double tick : axis_.ticks()) {
            sheet_.line({{x_of(tick), sheet_.y - 0.5}, {x_of(tick), sheet_.y + height}},
                        tick == 0 ? ink::frame : ink::grid);
        }
        for (std::size_t i = 0; i < bars_in(figure_, group); ++i) draw_bar(group, i);
        sheet_.y += height + group_gap;
    }

    void draw_bar(const BarGroup& group, std::size_t series) {
        const Bar& bar = group.bars[series];
        const double y = sheet_.y + static_cast<double>(series) * bar_step;
        const double base = y + bar_height - 0.8;
        sheet_.words(numbers_.text(bar.value), {sheet_.right(), base}, Anchor::end, number_font);
        if (!is_known(bar)) {
            sheet_.words(shortened(clean(note_of(bar)), number_font, right_ - left - 4),
                         {left + 3, base}, Anchor::start, number_font, ink::grey);
            return;
        }
        sheet_.box({left, y, x_of(std::max(0.0, *bar.value)) - left, bar_height},
                   series_colour(series), hint_of(figure_, group, series));
        if (!has_spread(bar)) return;
        const double low = x_of(std::max(0.0, bar.low));
        const double high = x_of(bar.high);
        const double middle = y + bar_height / 2;
        sheet_.line({{low, middle}, {high, middle}}, ink::black, 0.8);
        for (const double x : {low, high}) {
            sheet_.line({{x, middle - 2.5}, {x, middle + 2.5}}, ink::black, 0.8);
        }
    }

    const Figure& figure_;
    const Bars& bars_;
    Axis axis_;
    Numbers numbers_;
    Sheet sheet_;
    double right_ = 0;
};

class Columns {
  public:
    Columns(const Figure& figure, const Bars& bars)
        : figure_(figure),
          bars_(bars),
          axis_(axis_for(most_of(bars))),
          sheet_(std::max(column_width,
                          45 + least_step(figure) * static_cast<double>(bars.groups.size()))) {
        for (const double tick : axis_.ticks()) {
            left_ = std::max(left_, margin + 4 + text_width(axis_.label(tick), number_font));
        }
        const auto count = static_cast<double>(std::max<std::size_t>(1, bars.groups.size()));
        step_ = (sheet_.right() - left_) / count;
    }

    Picture draw() {
        sheet_.title(figure_);
        sheet_.legend(figure_.series, LegendKey::area);
        draw_axis_name();
        top_ = sheet_.y;
        draw_grid();
        double deepest = bottom();
        for (std::size_t i = 0; i < bars_.groups.size(); ++i) {
            for (std::size_t series = 0; series < bars_in(figure_, bars_.groups[i]); ++series) {
                draw_bar(bars_.groups[i], i, series);
            }
            deepest = std::max(deepest, draw_name(i));
        }
        sheet_.line({{left_, bottom()}, {sheet_.right(), bottom()}}, ink::frame);
        sheet_.y = deepest + 4;
        return sheet_.finish(figure_);
    }

  private:
    static constexpr double height = 150;
    static constexpr double most_name = 120;  // along the turned line
    static constexpr double tilt = 60;
    static constexpr std::string_view unknown_sign = "\u00d7";

    // Names need 12, each bar 3.
    static double least_step(const Figure& figure) {
        return std::max(12.0, 3 * static_cast<double>(figure.series.size()) + 3);
    }
    double bottom() const { return top_ + height; }
    double y_of(double value) const { return bottom() - height * value / axis_.end; }
    double group_left(std::size_t group) const {
        return left_ + step_ * (static_cast<double>(group) + 0.12);
    }
    double bar_width() const {
        return step_ * 0.76 / static_cast<double>(std::max<std::size_t>(1, figure_.series.size()));
    }

    void draw_grid() {
        for (const double tick : axis_.ticks()) {
            sheet_.line({{left_, y_of(tick)}, {sheet_.right(), y_of(tick)}},
                        tick == 0 ? ink::frame : ink::grid);
            sheet_.words(axis_.label(tick), {left_ - 4, y_of(tick) + 3}, Anchor::end, number_font,
                         ink::grey);
        }
    }

    void draw_bar(const BarGroup& group, std::size_t index, std::size_t series) {
        const Bar& bar = group.bars[series];
        const double x = group_left(index) + static_cast<double>(series) * bar_width();
        const double middle = x + bar_width() / 2;
        if (!is_known(bar)) return draw_note(bar, middle);
        const double top = y_of(std::max(0.0, *bar.value));
        sheet_.box({x, top, bar_width() * 0.95, bottom() - top}, series_colour(series),
                   hint_of(figure_, group, series));
        if (!has_spread(bar)) return;
        const double low = y_of(std::max(0.0, bar.low));
        const double high = y_of(bar.high);
        const double cap = std::min(2.5, bar_width() / 3);
        sheet_.line({{middle, low}, {middle, high}}, ink::black, 0.8);
        for (const double y : {low, high}) {
            sheet_.line({{middle - cap, y}, {middle + cap, y}}, ink::black, 0.8);
        }
    }

    // Where a turned word finds no room, a sign stands for it, and is explained above.
    bool notes_fit() const { return bar_width() >= number_font.size; }

    void draw_note(const Bar& bar, double middle) {
        if (!notes_fit()) {
            sheet_.words(unknown_sign, {middle, bottom() - 2}, Anchor::middle, number_font,
                         ink::grey);
            return;
        }
        const std::string note = shortened(clean(note_of(bar)), number_font, height - 4);
        sheet_.turned_words(note, {middle + 3, bottom() - 3 - text_width(note, number_font)}, -90,
                            number_font, ink::grey);
    }

    void draw_axis_name() {
        double room = sheet_.right() - margin;
        if (!notes_fit() && has_unknown(bars_)) {
            const std::string key = std::string(unknown_sign) + " not measured";
            sheet_.words(key, {sheet_.right(), sheet_.y + 9}, Anchor::end, number_font, ink::grey);
            room -= text_width(key, number_font) + 8;
        }
        sheet_.words(shortened(clean(figure_.axis), label_font, room), {margin, sheet_.y + 9});
        sheet_.y += 19;
    }

    // How far down it reaches.
    double draw_name(std::size_t index) {
        const BarGroup& group = bars_.groups[index];
        const Point at{left_ + step_ * (static_cast<double>(index) + 0.5) + 3, bottom() + 9};
        const double angle = tilt * std::numbers::pi / 180;
        const double room = std::min(most_name, (at.x - margin - 4) / std::cos(angle));
        const std::string head = group.mark.empty() ? "" : group.mark + " ";
        const std::string tail = group.stressed ? " *" : "";
        const std::string name = head +
                                 shortened(clean(group.label), number_font,
                                           room - text_width(head + tail, number_font)) +
                                 tail;
        sheet_.turned_words(name, at, -tilt, number_font);
        return at.y + text_width(name, number_font) * std::sin(angle);
    }

    const Figure& figure_;
    const Bars& bars_;
    Axis axis_;
    Sheet sheet_;
    double left_ = margin + 34;  // the first name, which is turned, needs it
    double step_ = 0;
    double top_ = 0;
};

}  // namespace

Picture draw_rows(const Figure& figure, const Bars& bars) {
    return Rows(figure, bars).draw();
}

Picture draw_columns(const Figure& figure, const Bars& bars) {
    return Columns(figure, bars).draw();
}

}  // namespace ringside::render
