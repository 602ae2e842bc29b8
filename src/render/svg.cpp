#include "render/svg.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/axis.h"

namespace ringside::render {

namespace {

using model::Bar;
using model::BarFigure;
using model::BarGroup;

constexpr double width = 720;
constexpr double margin = 12;
constexpr double label_width = 270;
constexpr double bar_height = 11;
constexpr double group_gap = 9;
constexpr std::size_t label_letters = 38;

// Of Okabe and Ito's palette, in an order in which neighbours differ in lightness too.
constexpr std::array<std::string_view, 6> colours = {"#0072b2", "#e69f00", "#009e73",
                                                     "#56b4e9", "#d55e00", "#cc79a7"};

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '&') {
            result += "&amp;";
        } else if (c == '<') {
            result += "&lt;";
        } else if (c == '>') {
            result += "&gt;";
        } else if (c == '"') {
            result += "&quot;";
        } else {
            // XML has no control characters.
            result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
        }
    }
    return result;
}

// Cut at the end, never within a UTF-8 character.
std::string shortened(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    std::size_t end = most - 1;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return std::string(text.substr(0, end)) + "\u2026";
}

class Drawing {
  public:
    explicit Drawing(const BarFigure& figure) : figure_(figure) {
        double most = 0;
        for (const BarGroup& group : figure.groups) {
            for (const Bar& bar : group.bars)
                most = std::max({most, bar.value.value_or(0), bar.high});
        }
        axis_ = axis_for(most);
    }

    std::string svg() {
        draw_head();
        draw_grid();
        for (std::size_t i = 0; i < figure_.groups.size(); ++i) draw_group(i);
        draw_legend();
        return open() + body_ + "</svg>\n";
    }

  private:
    static constexpr double plot_left = margin + label_width;
    static constexpr double plot_width = width - plot_left - 3 * margin;

    double top() const { return figure_.title.empty() ? margin : 38; }
    double group_height() const {
        return static_cast<double>(figure_.series.size()) * bar_height + group_gap;
    }
    double group_top(std::size_t i) const {
        return top() + static_cast<double>(i) * group_height();
    }
    double plot_bottom() const { return group_top(figure_.groups.size()); }
    double height() const { return plot_bottom() + (figure_.caption.empty() ? 62 : 82); }
    double x_of(double value) const { return plot_left + plot_width * value / axis_.end; }
    static std::string_view colour(std::size_t series) { return colours[series % colours.size()]; }

    void text(double x, double y, std::string_view anchor, std::string_view words,
              std::string_view more = "") {
        body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x,
                             y, anchor, more, escaped(words));
    }

    // What a reader who hears it needs: title, then each value.
    std::string open() const {
        std::string told;
        for (const BarGroup& group : figure_.groups) {
            told += fmt::format("{} {}:", group.mark, group.label);
            for (std::size_t i = 0; i < group.bars.size(); ++i) {
                const Bar& bar = group.bars[i];
                told += fmt::format(" {} {};", figure_.series[i],
                                    bar.value ? fmt::format("{:.4g}", *bar.value) : bar.note);
            }
            told += "\n";
        }
        return fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
            "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-labelledby=\"title desc\" "
            "font-family=\"DejaVu Sans, Arial, sans-serif\" font-size=\"11\">\n"
            "<title id=\"title\">{2}</title>\n<desc id=\"desc\">{3}</desc>\n"
            "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
            width, height(), escaped(figure_.title.empty() ? figure_.axis : figure_.title),
            escaped(told));
    }

    void draw_head() {
        if (figure_.title.empty()) return;
        text(margin, 22, "start", shortened(figure_.title, 90),
             " font-size=\"14\" font-weight=\"bold\"");
    }

    void draw_grid() {
        for (const double tick : axis_.ticks()) {
            body_ += fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"{3}\"/>\n",
                                 x_of(tick), top() - 4, plot_bottom(), tick == 0 ? "#444" : "#ddd");
            text(x_of(tick), plot_bottom() + 14, "middle", axis_.label(tick), " fill=\"#444\"");
        }
        text(plot_left + plot_width / 2, plot_bottom() + 30, "middle", figure_.axis);
    }

    void draw_group(std::size_t index) {
        const BarGroup& group = figure_.groups[index];
        const double y = group_top(index);
        const double middle = y + (group_height() - group_gap) / 2 + 4;
        text(plot_left - 8, middle, "end",
             group.mark + " " + shortened(group.label, label_letters) +
                 (group.stressed ? " *" : ""));
        for (std::size_t i = 0; i < group.bars.size(); ++i) {
            draw_bar(group, i, y + static_cast<double>(i) * bar_height);
        }
    }

    void draw_bar(const BarGroup& group, std::size_t series, double y) {
        const Bar& bar = group.bars[series];
        if (!bar.value) {
            text(plot_left + 4, y + bar_height - 2, "start", bar.note,
                 " fill=\"#777\" font-size=\"9\"");
            return;
        }
        body_ += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\">"
            "<title>{}: {}: {:.4g}</title></rect>\n",
            plot_left, y, x_of(std::max(0.0, *bar.value)) - plot_left, bar_height - 1,
            colour(series), escaped(group.label), escaped(figure_.series[series]), *bar.value);
        if (bar.high <= bar.low) return;
        const double at = y + (bar_height - 1) / 2;
        body_ += fmt::format(
            "<path d=\"M{0:.1f} {2:.1f}H{1:.1f}M{0:.1f} {3:.1f}v6M{1:.1f} {3:.1f}v6\" "
            "stroke=\"#222\" fill=\"none\"/>\n",
            x_of(bar.low), x_of(bar.high), at, at - 3);
    }

    void draw_legend() {
        const double y = plot_bottom() + 50;
        double x = margin;
        for (std::size_t i = 0; i < figure_.series.size(); ++i) {
            const std::string name = shortened(figure_.series[i], 30);
            body_ += fmt::format(
                "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" fill=\"{}\"/>\n", x,
                y - 9, colour(i));
            text(x + 14, y, "start", name);
            x += 14 + 7.0 * static_cast<double>(name.size()) + 16;
        }
        if (!figure_.caption.empty())
            text(margin, y + 20, "start", shortened(figure_.caption, 120));
    }

    const BarFigure& figure_;
    Axis axis_;
    std::string body_;
};

}  // namespace

std::string svg_of(const BarFigure& figure) {
    return Drawing(figure).svg();
}

}  // namespace ringside::render
