// The painter (painter.h): a picture drawn by Cairo, its words by Pango.
#include <algorithm>
#include <memory>
#include <numbers>
#include <utility>

#include <cairo-pdf.h>
#include <cairo-ps.h>
#include <pango/pangocairo.h>

#include "render/painter.h"

namespace ringside::render {

namespace {

struct Free {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_t* context) const { cairo_destroy(context); }
    void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
    void operator()(PangoFontMap* map) const { g_object_unref(map); }
    void operator()(PangoContext* context) const { g_object_unref(context); }
    void operator()(PangoLayout* layout) const { g_object_unref(layout); }
    void operator()(PangoFontDescription* font) const { pango_font_description_free(font); }
};
using Surface = std::unique_ptr<cairo_surface_t, Free>;
using Context = std::unique_ptr<cairo_t, Free>;

cairo_status_t append(void* target, const unsigned char* data, unsigned length) {
    static_cast<std::string*>(target)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
}

class Painter {
  public:
    // Fonts of its own, because Pango would keep its common ones for ever.
    explicit Painter(cairo_t* cairo)
        : cairo_(cairo),
          fonts_(pango_cairo_font_map_new()),
          context_(pango_font_map_create_context(fonts_.get())),
          layout_(pango_layout_new(context_.get())) {
        // Letters as wide as they are, not as whole pixels: the layout counts on it.
        const std::unique_ptr<cairo_font_options_t, Free> options(cairo_font_options_create());
        cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
        cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
        pango_cairo_context_set_font_options(context_.get(), options.get());
        pango_layout_set_single_paragraph_mode(layout_.get(), TRUE);
    }

    void draw(const Box& box) {
        set(box.fill);
        cairo_rectangle(cairo_, box.rect.x, box.rect.y, box.rect.width, box.rect.height);
        cairo_fill(cairo_);
    }

    void draw(const Wedge& wedge) {
        // Cairo's angles begin at the right.
        const auto angle = [](double turn) { return 2 * std::numbers::pi * (turn - 0.25); };
        cairo_new_path(cairo_);
        cairo_arc(cairo_, wedge.centre.x, wedge.centre.y, wedge.outer, angle(wedge.from),
                  angle(wedge.to));
        cairo_arc_negative(cairo_, wedge.centre.x, wedge.centre.y, wedge.inner, angle(wedge.to),
                           angle(wedge.from));
        cairo_close_path(cairo_);
        set(wedge.fill);
        cairo_fill_preserve(cairo_);
        set({0xffffff});
        cairo_set_dash(cairo_, nullptr, 0, 0);
        cairo_set_line_width(cairo_, 0.7);
        cairo_stroke(cairo_);
    }

    void draw(const Line& line) {
        cairo_new_path(cairo_);  // words leave a point behind
        for (const Point& point : line.points) cairo_line_to(cairo_, point.x, point.y);
        set(line.colour);
        cairo_set_line_width(cairo_, line.width);
        cairo_set_dash(cairo_, line.dashes.data(), static_cast<int>(line.dashes.size()), 0);
        cairo_stroke(cairo_);
    }

    void draw(const Words& words) {
        set_font(words.font);
        pango_layout_set_text(layout_.get(), words.text.data(),
                              static_cast<int>(words.text.size()));
        PangoRectangle extents;
        pango_layout_get_extents(layout_.get(), nullptr, &extents);
        const double drawn = pango_units_to_double(extents.width);
        // In a wider font than the layout counted on, words keep the width they have there.
        const double narrower = drawn > words.width * 1.01 ? words.width / drawn : 1;
        const double left = words.anchor == Anchor::start    ? 0
                            : words.anchor == Anchor::middle ? drawn / 2
                                                             : drawn;
        cairo_save(cairo_);
        cairo_translate(cairo_, words.at.x, words.at.y);
        cairo_rotate(cairo_, words.turned * std::numbers::pi / 180);
        cairo_scale(cairo_, narrower, 1);
        cairo_move_to(cairo_, -left,
                      -pango_units_to_double(pango_layout_get_baseline(layout_.get())));
        set(words.colour);
        pango_cairo_show_layout(cairo_, layout_.get());
        cairo_restore(cairo_);
    }

  private:
    void set(Colour colour) {
        const auto channel = [&](int shift) {
            return static_cast<double>(colour.rgb >> shift & 0xff) / 255;
        };
        cairo_set_source_rgb(cairo_, channel(16), channel(8), channel(0));
    }

    void set_font(Font font) {
        const std::unique_ptr<PangoFontDescription, Free> description(
            pango_font_description_from_string("DejaVu Sans, Verdana, sans-serif"));
        pango_font_description_set_absolute_size(description.get(), font.size * PANGO_SCALE);
        pango_font_description_set_weight(description.get(),
                                          font.bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
        pango_layout_set_font_description(layout_.get(), description.get());
    }

    cairo_t* cairo_;
    std::unique_ptr<PangoFontMap, Free> fonts_;
    std::unique_ptr<PangoContext, Free> context_;
    std::unique_ptr<PangoLayout, Free> layout_;
};

// A comment of EPS is short and plain.
std::string eps_title(const std::string& title) {
    std::string text = "%%Title: ";
    for (const char c : title.substr(0, 200)) text += c >= 0x20 && c < 0x7f ? c : '?';
    return text;
}

Surface make_surface(const Picture& picture, Format format, double scale, std::string& bytes) {
    const double width = picture.width * scale;
    const double height = picture.height * scale;
    if (format == Format::png) {
        return Surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width),
                                                  static_cast<int>(height)));
    }
    if (format == Format::pdf) {
        Surface surface(cairo_pdf_surface_create_for_stream(append, &bytes, width, height));
        cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE,
                                       picture.title.c_str());
        cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_SUBJECT,
                                       picture.description.c_str());
        return surface;
    }
    Surface surface(cairo_ps_surface_create_for_stream(append, &bytes, width, height));
    cairo_ps_surface_set_eps(surface.get(), TRUE);
    cairo_ps_surface_dsc_comment(surface.get(), eps_title(picture.title).c_str());
    return surface;
}

std::string problem_of(cairo_status_t status) {
    return status == CAIRO_STATUS_SUCCESS ? "" : cairo_status_to_string(status);
}

std::string paint_with_cairo(const Picture& picture, Format format, std::string& bytes) {
    constexpr double points_per_cm = 72 / 2.54;
    const double scale = format == Format::png ? png_pixels_per_unit
                                               : column_width_cm * points_per_cm / column_width;
    const Surface surface = make_surface(picture, format, scale, bytes);
    const Context context(cairo_create(surface.get()));
    cairo_scale(context.get(), scale, scale);
    cairo_set_source_rgb(context.get(), 1, 1, 1);
    cairo_paint(context.get());
    Painter painter(context.get());
    for (const Shape& shape : picture.shapes) {
        std::visit([&](const auto& one) { painter.draw(one); }, shape);
    }
    if (auto problem = problem_of(cairo_status(context.get())); !problem.empty()) return problem;
    if (format == Format::png) {
        return problem_of(cairo_surface_write_to_png_stream(surface.get(), append, &bytes));
    }
    cairo_surface_finish(surface.get());
    return problem_of(cairo_surface_status(surface.get()));
}

}  // namespace

}  // namespace ringside::render

extern "C" __attribute__((visibility("default"))) void ringside_paint(
    const ringside::render::Picture& picture, ringside::render::Format format, std::string& bytes,
    std::string& problem) {
    problem = ringside::render::paint_with_cairo(picture, format, bytes);
}
