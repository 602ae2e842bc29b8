#include "render/timeline.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/axis.h"
#include "render/xml_text.h"

namespace ringside::render {

namespace {

using model::TimelineFigure;
using model::TimelinePanel;

constexpr double width = 960;
constexpr double left = 60;
constexpr double right = 16;
constexpr double panel_height = 70;
constexpr double panel_gap = 34;

// Of Okabe and Ito's palette: the third, which stolen time has, stands out.
constexpr std::array<std::string_view, 6> colours = {"#56b4e9", "#0072b2", "#d55e00",
                                                     "#e69f00", "#009e73", "#cc79a7"};

class Drawing {
  public:
    explicit Drawing(const TimelineFigure& figure) : figure_(figure) {
        double end = 0;
        for (const auto& panel : figure.panels)
            if (!panel.steps.empty()) end = std::max(end, panel.steps.back().to_s);
        end_s_ = end > 0 ? end : 1;
    }

    std::string svg() {
        double y = 26;
        for (const auto& panel : figure_.panels) {
            draw_panel(panel, y);
            y += panel_height + panel_gap;
        }
        draw_seconds(y - panel_gap);
        const double bottom = draw_legend(y);
        return fmt::format(
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                   "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-label=\"{2}\" "
                   "font-family=\"DejaVu Sans, Arial, sans-serif\" font-size=\"11\">\n"
                   "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
                   width, bottom, xml_text(figure_.title)) +
               body_ + "</svg>\n";
    }

  private:
    double x_of(double seconds) const { return left + (width - left - right) * seconds / end_s_; }

    void text(double x, double y, std::string_view anchor, std::string_view words,
              std::string_view more = "") {
        body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x,
                             y, anchor, more, xml_text(words));
    }

    void draw_panel(const TimelinePanel& panel, double y) {
        const Axis axis = axis_for(panel.most);
        const double bottom = y + panel_height;
        text(left, y - 8, "start", cut_text(panel.label, 100), " font-weight=\"bold\"");
        text(left - 6, y + 9, "end", axis.label(axis.end), " fill=\"#444\"");
        text(left - 6, bottom, "end", "0", " fill=\"#444\"");
        body_ += fmt::format("<path d=\"M{0:.1f} {2:.1f}H{1:.1f}\" stroke=\"#ddd\"/>\n", left,
                             width - right, y);
        std::vector<double> base(panel.steps.size());
        const std::size_t parts = std::max<std::size_t>(1, panel.parts.size());
        for (std::size_t part = 0; part < parts; ++part) draw_part(panel, part, axis, bottom, base);
        body_ += fmt::format("<path d=\"M{0:.1f} {2:.1f}H{1:.1f}\" stroke=\"#444\"/>\n", left,
                             width - right, bottom);
    }

    // One path for each part: up along its steps, back along those of the parts below.
    void draw_part(const TimelinePanel& panel, std::size_t part, const Axis& axis, double bottom,
                   std::vector<double>& base) {
        const auto y_of = [&](double value) { return bottom - panel_height * value / axis.end; };
        std::string up;
        std::string back;
        for (std::size_t i = 0; i < panel.steps.size(); ++i) {
            const auto& step = panel.steps[i];
            const double from = x_of(step.from_s);
            const double to = x_of(step.to_s);
            const double above = base[i] + step.values[part];
            up += fmt::format("{}{:.1f} {:.1f}L{:.1f} {:.1f}", i == 0 ? "M" : "L", from,
                              y_of(above), to, y_of(above));
            back = fmt::format("L{:.1f} {:.1f}L{:.1f} {:.1f}", to, y_of(base[i]), from,
                               y_of(base[i])) +
                   back;
            base[i] = above;
        }
        if (up.empty()) return;
        const std::string name = panel.parts.empty() ? panel.label : panel.parts[part];
        body_ += fmt::format("<path d=\"{}{}Z\" fill=\"{}\"><title>{}</title></path>\n", up, back,
                             panel.parts.empty() ? "#777" : colours[part % colours.size()],
                             xml_text(name));
    }

    void draw_seconds(double y) {
        const Axis axis = axis_for(end_s_);
        for (const double tick : axis.ticks()) {
            if (tick > end_s_) continue;
            body_ += fmt::format("<path d=\"M{:.1f} {:.1f}v4\" stroke=\"#444\"/>\n", x_of(tick), y);
            text(x_of(tick), y + 16, "middle", axis.label(tick) + (tick == 0 ? " s" : ""),
                 " fill=\"#444\"");
        }
    }

    // Returns where the picture ends.
    double draw_legend(double y) {
        const auto stacked =
            std::find_if(figure_.panels.begin(), figure_.panels.end(),
                         [](const TimelinePanel& panel) { return !panel.parts.empty(); });
        if (stacked == figure_.panels.end()) return y;
        double x = left;
        for (std::size_t i = 0; i < stacked->parts.size(); ++i) {
            body_ += fmt::format(
                "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" fill=\"{}\"/>\n", x,
                y - 1, colours[i % colours.size()]);
            text(x + 14, y + 8, "start", stacked->parts[i]);
            x += 14 + 6.6 * static_cast<double>(stacked->parts[i].size()) + 16;
        }
        return y + 22;
    }

    const TimelineFigure& figure_;
    double end_s_ = 1;
    std::string body_;
};

}  // namespace

std::string svg_of(const TimelineFigure& figure) {
    return Drawing(figure).svg();
}

}  // namespace ringside::render
