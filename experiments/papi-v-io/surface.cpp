#include "surface.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

namespace ringside::experiment {

namespace {

constexpr double panel_width = 560;
constexpr double panel_height = 430;
constexpr double png_scale = 2;

struct Place {
    double x = 0;
    double y = 0;
};

std::string size_text(int kib) {
    return kib < 1024 ? fmt::format("{}K", kib) : fmt::format("{}M", kib / 1024);
}

// One panel: steps of both axes are even, as on a logarithmic scale; height is GB/s.
class Panel {
  public:
    Panel(cairo_t* cr, const Surface& surface, double left, double top)
        : cr_(cr), surface_(surface), left_(left), top_(top) {
        std::set<int> sizes;
        std::set<int> records;
        for (const auto& [at, gbps] : surface.mesh_gbps) {
            sizes.insert(at.first);
            records.insert(at.second);
            most_ = std::max(most_, gbps);
        }
        sizes_.assign(sizes.begin(), sizes.end());
        records_.assign(records.begin(), records.end());
        most_ = nice_top(most_);
    }

    void draw() {
        ink(0.13, 0.15, 0.18);
        text({left_ + 24, top_ + 30}, surface_.title, 15, 0);
        ink(0.45, 0.48, 0.52);
        text({left_ + 24, top_ + 48}, "mesh: fio, dots: the io component", 11, 0);
        if (surface_.mesh_gbps.empty()) {
            ink(0.45, 0.48, 0.52);
            text({left_ + panel_width / 2, top_ + panel_height / 2}, surface_.empty_reason, 12,
                 0.5);
            return;
        }
        draw_floor();
        draw_mesh();
        draw_dots();
    }

  private:
    static double nice_top(double most) {
        const double step = std::pow(10, std::floor(std::log10(std::max(most, 1e-9))));
        return std::ceil(most / step * 2) / 2 * step;
    }
    void ink(double red, double green, double blue, double alpha = 1) {
        cairo_set_source_rgba(cr_, red, green, blue, alpha);
    }
    void text(Place at, const std::string& words, double points, double anchor) {
        cairo_set_font_size(cr_, points);
        cairo_text_extents_t extents;
        cairo_text_extents(cr_, words.c_str(), &extents);
        cairo_move_to(cr_, at.x - extents.x_advance * anchor, at.y);
        cairo_show_text(cr_, words.c_str());
    }
    void line(Place from, Place to) {
        cairo_move_to(cr_, from.x, from.y);
        cairo_line_to(cr_, to.x, to.y);
        cairo_stroke(cr_);
    }

    // File size runs to the right and a little down, record size to the back.
    Place project(double size_step, double record_step, double gbps) const {
        const double across =
            size_step / std::max<double>(1, static_cast<double>(sizes_.size()) - 1);
        const double back =
            record_step / std::max<double>(1, static_cast<double>(records_.size()) - 1);
        return {left_ + 70 + across * 300 + back * 150,
                top_ + 330 + across * 30 - back * 95 - gbps / most_ * 190};
    }
    Place project(std::pair<int, int> at, double gbps) const {
        const auto step = [](const std::vector<int>& axis, int value) {
            return static_cast<double>(std::find(axis.begin(), axis.end(), value) - axis.begin());
        };
        return project(step(sizes_, at.first), step(records_, at.second), gbps);
    }

    void draw_floor() {
        const auto last_size = static_cast<double>(sizes_.size() - 1);
        const auto last_record = static_cast<double>(records_.size() - 1);
        cairo_set_line_width(cr_, 0.7);
        ink(0.82, 0.84, 0.87);
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            const auto step = static_cast<double>(i);
            line(project(step, 0, 0), project(step, last_record, 0));
        }
        for (std::size_t i = 0; i < records_.size(); ++i) {
            const auto step = static_cast<double>(i);
            line(project(0, step, 0), project(last_size, step, 0));
        }
        ink(0.45, 0.48, 0.52);
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            const Place at = project(static_cast<double>(i), 0, 0);
            text({at.x - 4, at.y + 16}, size_text(sizes_[i]), 10, 0.5);
        }
        for (std::size_t i = 0; i < records_.size(); ++i) {
            const Place at = project(last_size, static_cast<double>(i), 0);
            text({at.x + 8, at.y + 6}, size_text(records_[i]), 10, 0);
        }
        for (const double part : {0.5, 1.0}) {
            const Place at = project(0, 0, most_ * part);
            ink(0.82, 0.84, 0.87);
            line(at, project(0, last_record, most_ * part));
            ink(0.45, 0.48, 0.52);
            text({at.x - 6, at.y + 4}, fmt::format("{:.3g}", most_ * part), 10, 1);
        }
        line(project(0, 0, 0), project(0, 0, most_));
        text({left_ + 18, top_ + 120}, "GB/s", 11, 0);
        text({left_ + 200, top_ + 400}, "file size", 11, 0.5);
        text({left_ + panel_width - 90, top_ + 372}, "record size", 11, 0);
    }

    // From the back to the front, so that what is nearer covers what is behind.
    void draw_mesh() {
        for (std::size_t record = records_.size() - 1; record-- > 0;) {
            for (std::size_t size = 0; size + 1 < sizes_.size(); ++size) draw_cell(size, record);
        }
    }
    void draw_cell(std::size_t size, std::size_t record) {
        const std::pair<int, int> corners[] = {{sizes_[size], records_[record]},
                                               {sizes_[size + 1], records_[record]},
                                               {sizes_[size + 1], records_[record + 1]},
                                               {sizes_[size], records_[record + 1]}};
        double sum = 0;
        for (const auto& corner : corners) {
            const auto found = surface_.mesh_gbps.find(corner);
            if (found == surface_.mesh_gbps.end()) return;
            sum += found->second;
        }
        cairo_new_path(cr_);  // where the last text ended would be its first corner
        for (const auto& corner : corners) {
            const Place at = project(corner, surface_.mesh_gbps.at(corner));
            cairo_line_to(cr_, at.x, at.y);
        }
        cairo_close_path(cr_);
        const double height = sum / 4 / most_;
        ink(0.78 - 0.55 * height, 0.87 - 0.42 * height, 0.97 - 0.2 * height, 0.92);
        cairo_fill_preserve(cr_);
        ink(0.12, 0.40, 0.75);
        cairo_set_line_width(cr_, 1);
        cairo_stroke(cr_);
    }
    void draw_dots() {
        ink(0.86, 0.34, 0.08);
        for (const auto& [at, gbps] : surface_.dots_gbps) {
            const Place dot = project(at, gbps);
            cairo_arc(cr_, dot.x, dot.y, 2.6, 0, 2 * std::acos(-1.0));
            cairo_fill(cr_);
        }
    }

    cairo_t* cr_;
    const Surface& surface_;
    double left_;
    double top_;
    double most_ = 0;
    std::vector<int> sizes_;
    std::vector<int> records_;
};

bool draw_on(cairo_surface_t* target, const std::vector<Surface>& surfaces) {
    cairo_t* cr = cairo_create(target);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    for (std::size_t i = 0; i < surfaces.size(); ++i) {
        Panel(cr, surfaces[i], static_cast<double>(i % 2) * panel_width,
              static_cast<double>(i / 2) * panel_height)
            .draw();
    }
    const bool fine = cairo_status(cr) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(cr);
    return fine;
}

}  // namespace

bool draw(const std::vector<Surface>& surfaces, const std::string& svg_path,
          const std::string& png_path) {
    const double width = 2 * panel_width;
    const double height = panel_height * std::ceil(static_cast<double>(surfaces.size()) / 2);
    cairo_surface_t* svg = cairo_svg_surface_create(svg_path.c_str(), width, height);
    bool fine = draw_on(svg, surfaces);
    cairo_surface_finish(svg);
    fine = fine && cairo_surface_status(svg) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(svg);

    cairo_surface_t* png =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width * png_scale),
                                   static_cast<int>(height * png_scale));
    cairo_surface_set_device_scale(png, png_scale, png_scale);
    fine = draw_on(png, surfaces) && fine;
    fine = cairo_surface_write_to_png(png, png_path.c_str()) == CAIRO_STATUS_SUCCESS && fine;
    cairo_surface_destroy(png);
    return fine;
}

}  // namespace ringside::experiment
