#include "drawing.h"

#include <algorithm>
#include <cmath>

#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

namespace ringside::experiment {

namespace {

constexpr double chart_width = 400;
constexpr double chart_height = 380;
constexpr double margin_left = 62;
constexpr double margin_right = 18;
constexpr double margin_top = 92;
constexpr double margin_bottom = 58;
constexpr double png_scale = 2;
constexpr Colour ink{0.13, 0.15, 0.18};
constexpr Colour faint{0.88, 0.89, 0.91};
constexpr Colour grey{0.40, 0.43, 0.47};

void use(cairo_t* cr, const Colour& colour, double alpha = 1) {
    cairo_set_source_rgba(cr, colour.red, colour.green, colour.blue, alpha);
}

enum class Align { left, centre, right };

void text(cairo_t* cr, double x, double y, const std::string& what, double size, Align align,
          bool bold = false) {
    cairo_select_font_face(cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, size);
    cairo_text_extents_t extents;
    cairo_text_extents(cr, what.c_str(), &extents);
    const double shift = align == Align::left     ? 0
                         : align == Align::centre ? extents.x_advance / 2
                                                  : extents.x_advance;
    cairo_move_to(cr, x - shift, y);
    cairo_show_text(cr, what.c_str());
}

// 1, 2 or 5 times a power of ten, for about five steps.
double nice_step(double range) {
    const double raw = range / 5;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    const double fraction = raw / power;
    return power * (fraction < 1.5 ? 1 : fraction < 3.5 ? 2 : fraction < 7.5 ? 5 : 10);
}

// From data to the page.
struct Frame {
    double left = 0;
    double x_most = 1;
    double y_most = 1;

    double x(double value) const {
        const double width = chart_width - margin_left - margin_right;
        return left + margin_left + 12 + (width - 24) * value / x_most;
    }
    double y(double value) const {
        return chart_height - margin_bottom -
               (chart_height - margin_top - margin_bottom) * value / y_most;
    }
    double right() const { return left + chart_width - margin_right; }
};

// The same scale for all charts, so that they can be compared.
Frame common_frame(const std::vector<Chart>& charts) {
    Frame frame{0, 1, 0};
    for (const Chart& chart : charts) {
        for (const Line& line : chart.lines) {
            for (const Point& point : line.points) {
                frame.x_most = std::max(frame.x_most, point.x);
                frame.y_most = std::max(frame.y_most, point.y.high);
            }
        }
    }
    frame.y_most = frame.y_most > 0 ? frame.y_most * 1.06 : 1;
    return frame;
}

void draw_titles(cairo_t* cr, const Chart& chart, const Frame& frame) {
    use(cr, ink);
    text(cr, frame.left + margin_left, 26, chart.title, 15, Align::left, true);
    use(cr, grey);
    text(cr, frame.left + margin_left, 44, chart.subtitle, 11, Align::left);
}

void draw_legend(cairo_t* cr, const Chart& chart, const Frame& frame) {
    double x = frame.left + margin_left;
    for (const Line& line : chart.lines) {
        use(cr, line.colour);
        cairo_set_line_width(cr, 2.5);
        const double dashes[] = {5, 3};
        cairo_set_dash(cr, dashes, line.dashed ? 2 : 0, 0);
        cairo_move_to(cr, x, 66);
        cairo_line_to(cr, x + 22, 66);
        cairo_stroke(cr);
        cairo_set_dash(cr, nullptr, 0, 0);
        text(cr, x + 28, 70, line.label, 11.5, Align::left);
        cairo_text_extents_t extents;
        cairo_text_extents(cr, line.label.c_str(), &extents);
        x += 28 + extents.x_advance + 16;
    }
}

void draw_axes(cairo_t* cr, const Chart& chart, const Frame& frame) {
    cairo_set_line_width(cr, 1);
    const double step = nice_step(frame.y_most);
    for (double value = 0; value <= frame.y_most; value += step) {
        use(cr, value == 0 ? grey : faint);
        cairo_move_to(cr, frame.left + margin_left, frame.y(value));
        cairo_line_to(cr, frame.right(), frame.y(value));
        cairo_stroke(cr);
        use(cr, grey);
        text(cr, frame.left + margin_left - 8, frame.y(value) + 4, fmt::format("{:.4g}", value), 11,
             Align::right);
    }
    for (int value = 0; value <= static_cast<int>(frame.x_most); ++value) {
        text(cr, frame.x(value), chart_height - margin_bottom + 18, std::to_string(value), 11,
             Align::centre);
    }
    text(cr, (frame.left + margin_left + frame.right()) / 2, chart_height - 18, chart.x_label, 12,
         Align::centre);
    cairo_save(cr);
    cairo_translate(cr, frame.left + 18, (margin_top + chart_height - margin_bottom) / 2);
    cairo_rotate(cr, -std::acos(-1.0) / 2);
    text(cr, 0, 0, chart.y_label, 12, Align::centre);
    cairo_restore(cr);
}

void draw_line(cairo_t* cr, const Line& line, const Frame& frame) {
    use(cr, line.colour, 0.45);
    cairo_set_line_width(cr, 1.2);
    for (const Point& point : line.points) {  // from the least to the most that was measured
        cairo_move_to(cr, frame.x(point.x), frame.y(point.y.low));
        cairo_line_to(cr, frame.x(point.x), frame.y(point.y.high));
        cairo_stroke(cr);
    }
    use(cr, line.colour);
    cairo_set_line_width(cr, 2.5);
    const double dashes[] = {6, 4};
    cairo_set_dash(cr, dashes, line.dashed ? 2 : 0, 0);
    for (const Point& point : line.points) {
        cairo_line_to(cr, frame.x(point.x), frame.y(point.y.median));
    }
    cairo_stroke(cr);
    cairo_set_dash(cr, nullptr, 0, 0);
    for (const Point& point : line.points) {
        cairo_arc(cr, frame.x(point.x), frame.y(point.y.median), line.dashed ? 2.6 : 3.6, 0,
                  2 * std::acos(-1.0));
        cairo_fill(cr);
    }
}

void draw_chart(cairo_t* cr, const Chart& chart, const Frame& frame) {
    draw_titles(cr, chart, frame);
    if (!chart.empty_reason.empty()) {
        use(cr, grey);
        text(cr, frame.left + chart_width / 2, chart_height / 2, chart.empty_reason, 12,
             Align::centre);
        return;
    }
    draw_axes(cr, chart, frame);
    for (const Line& line : chart.lines) draw_line(cr, line, frame);
    draw_legend(cr, chart, frame);
}

bool draw_on(cairo_surface_t* surface, const std::vector<Chart>& charts) {
    cairo_t* cr = cairo_create(surface);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    Frame frame = common_frame(charts);
    for (const Chart& chart : charts) {
        draw_chart(cr, chart, frame);
        frame.left += chart_width;
    }
    const bool fine = cairo_status(cr) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(cr);
    return fine;
}

}  // namespace

bool draw(const std::vector<Chart>& charts, const std::string& svg_path,
          const std::string& png_path) {
    const double width = chart_width * static_cast<double>(charts.size());
    cairo_surface_t* svg = cairo_svg_surface_create(svg_path.c_str(), width, chart_height);
    bool fine = draw_on(svg, charts);
    cairo_surface_finish(svg);
    fine = fine && cairo_surface_status(svg) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(svg);

    cairo_surface_t* png =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width * png_scale),
                                   static_cast<int>(chart_height * png_scale));
    cairo_surface_set_device_scale(png, png_scale, png_scale);
    fine = draw_on(png, charts) && fine;
    fine = cairo_surface_write_to_png(png, png_path.c_str()) == CAIRO_STATUS_SUCCESS && fine;
    cairo_surface_destroy(png);
    return fine;
}

}  // namespace ringside::experiment
