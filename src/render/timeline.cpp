// Measures over time, one strip below the other on one axis of seconds, a line for each series.
#include <algorithm>
#include <cmath>

#include "render/charts.h"
#include "render/letters.h"
#include "render/sheet.h"

namespace ringside::render {

namespace {

using model::Figure;
using model::Moment;
using model::Strip;

constexpr double strip_height = 46;
constexpr double strip_gap = 9;

bool is_known(const Moment& moment) {
    return std::isfinite(moment.at_s) && moment.value && std::isfinite(*moment.value);
}

double last_moment(const model::Timeline& timeline) {
    double last = 0;
    for (const Strip& strip : timeline.strips) {
        for (const auto& line : strip.lines) {
            for (const Moment& moment : line) {
                if (std::isfinite(moment.at_s)) last = std::max(last, moment.at_s);
            }
        }
    }
    return last;
}

double most_of(const Strip& strip) {
    double most = strip.least_end;
    for (const auto& line : strip.lines) {
        for (const Moment& moment : line) {
            if (is_known(moment)) most = std::max(most, *moment.value);
        }
    }
    return most;
}

class TimelineDrawing {
  public:
    TimelineDrawing(const Figure& figure, const model::Timeline& timeline)
        : figure_(figure), timeline_(timeline), seconds_(axis_for(last_moment(timeline))) {
        for (const Strip& strip : timeline.strips) {
            const Axis axis = axis_for(most_of(strip), 3);
            for (const double tick : axis.ticks()) {
                left_ = std::max(left_, margin + 4 + text_width(axis.label(tick), number_font));
            }
        }
    }

    Picture draw() {
        sheet_.title(figure_);
        sheet_.legend(figure_.series, LegendKey::line);
        for (const Strip& strip : timeline_.strips) draw_strip(strip);
        if (!timeline_.strips.empty()) sheet_.y -= strip_gap;
        sheet_.axis_below(seconds_, left_, right(), "seconds since the start");
        return sheet_.finish(figure_);
    }

  private:
    double right() const { return sheet_.right() - 8; }
    double x_of(double at_s) const {
        return left_ + (right() - left_) * std::clamp(at_s / seconds_.end, 0.0, 1.0);
    }

    void draw_strip(const Strip& strip) {
        sheet_.words(shortened(clean(strip.axis), label_font, sheet_.right() - margin),
                     {margin, sheet_.y + 9});
        sheet_.y += 16;
        const Axis axis = axis_for(most_of(strip), 3);
        const double bottom = sheet_.y + strip_height;
        for (const double tick : seconds_.ticks()) {
            sheet_.line({{x_of(tick), sheet_.y}, {x_of(tick), bottom}}, ink::grid);
        }
        for (const double tick : axis.ticks()) {
            const double y = bottom - strip_height * tick / axis.end;
            sheet_.line({{left_, y}, {right(), y}}, tick == 0 ? ink::frame : ink::grid);
            sheet_.words(axis.label(tick), {left_ - 4, y + 3}, Anchor::end, number_font, ink::grey);
        }
        for (std::size_t i = 0; i < std::min(figure_.series.size(), strip.lines.size()); ++i) {
            draw_line(strip.lines[i], i, bottom, axis);
        }
        sheet_.y = bottom + strip_gap;
    }

    // A value holds for its whole interval: steps, broken where there is none.
    void draw_line(const std::vector<Moment>& moments, std::size_t series, double bottom,
                   const Axis& axis) {
        std::vector<Point> points;
        const auto flush = [&] {
            if (points.size() > 1) {
                sheet_.line(points, series_colour(series), 1.3, series_dashes(series));
            }
            points.clear();
        };
        double from = 0;
        for (const Moment& moment : moments) {
            if (is_known(moment)) {
                const double y = bottom - strip_height * std::max(0.0, *moment.value) / axis.end;
                points.push_back({x_of(from), y});
                points.push_back({x_of(moment.at_s), y});
            } else {
                flush();
            }
            from = moment.at_s;
        }
        flush();
    }

    const Figure& figure_;
    const model::Timeline& timeline_;
    Axis seconds_;
    Sheet sheet_;
    double left_ = 0;
};

}  // namespace

Picture draw_timeline(const Figure& figure, const model::Timeline& timeline) {
    return TimelineDrawing(figure, timeline).draw();
}

}  // namespace ringside::render
