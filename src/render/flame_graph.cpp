#include "render/flame_graph.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/embedded.h"
#include "render/letters.h"
#include "render/xml_text.h"

namespace ringside::render {

namespace {

using model::FlameFigure;
using model::FrameKind;

constexpr int row_height = 17;
constexpr int top = 40;  // of a file: room for its title
constexpr int flame_margin = 10;
constexpr double letter_width = 6.7;  // of the 11 px monospace font of web/flame.css
constexpr double least_width = 0.2;   // narrower frames cannot be seen

// The classes of web/flame.css: told apart by lightness as well as by hue.
char style_class(FrameKind kind) {
    switch (kind) {
        case FrameKind::kernel:
            return 'k';
        case FrameKind::guest_kernel:
            return 'g';
        case FrameKind::guest_user:
            return 'v';
        case FrameKind::hypervisor:
            return 'h';
        case FrameKind::thread:
            return 'c';
        default:
            return 'u';
    }
}

double change(const FlameFigure& figure, std::size_t node, std::size_t series, std::size_t before) {
    return 100 * (figure.share(node, series) - figure.share(node, before));
}

// From white to orange for what grew, to blue for what shrank. The two differ for every eye, and
// black letters can be read on both.
std::string change_colour(double points, double full) {
    constexpr double white = 246;
    const double part = std::min(1.0, std::abs(points) / full);
    const auto mixed = [&](double colour) {
        return static_cast<int>(std::lround(white + part * (colour - white)));
    };
    return points >= 0 ? fmt::format("rgb({},{},{})", mixed(235), mixed(118), mixed(20))
                       : fmt::format("rgb({},{},{})", mixed(70), mixed(156), mixed(230));
}

// Children in the order of their names, so that two sides can be compared by eye.
std::vector<std::vector<std::uint32_t>> children_of(const FlameFigure& figure) {
    std::vector<std::vector<std::uint32_t>> result(figure.nodes.size());
    for (std::uint32_t i = 1; i < figure.nodes.size(); ++i)
        result[figure.nodes[i].parent].push_back(i);
    for (auto& list : result) {
        std::sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
            const auto& one = figure.frames[figure.nodes[a].frame];
            const auto& other = figure.frames[figure.nodes[b].frame];
            if (one.name != other.name) return one.name < other.name;
            return one.module != other.module ? one.module < other.module : one.kind < other.kind;
        });
    }
    return result;
}

class Drawing {
  public:
    Drawing(const FlameFigure& figure, const FlameOptions& options)
        : figure_(figure), options_(options), children_(children_of(figure)) {
        const double whole = total(0);
        scale_ = whole > 0 ? (options.width - 2.0 * flame_margin) / whole : 0;
        if (options.before) full_ = full_change(figure, options.series, *options.before);
        draw();
    }

    std::string file() const {
        const int height = top + rows_height() + flame_margin;
        return fmt::format(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}<style>{}</style>\n"
            "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
            "<text class=\"title\" x=\"{}\" y=\"22\">{}</text>\n"
            "<text class=\"hint\" x=\"{}\" y=\"22\" text-anchor=\"end\"></text>\n{}"
            "<script type=\"text/ecmascript\"><![CDATA[{}]]></script>\n</svg>\n",
            open(height), base::embedded_file("web/flame.css").value_or(""), flame_margin,
            xml_text(options_.title), options_.width - flame_margin, frames(height - flame_margin),
            base::embedded_file("web/flame.js").value_or(""));
    }

    std::string part() const {
        const int height = rows_height() + 2;
        return open(height) + frames(height - 1) + "</svg>\n";
    }

  private:
    double total(std::size_t node) const { return figure_.nodes[node].totals[options_.series]; }
    double points(std::size_t node) const {
        return change(figure_, node, options_.series, *options_.before);
    }
    int rows_height() const { return (deepest_ + 1) * row_height; }

    void draw() {
        struct Visit {
            std::uint32_t node;
            double from;
            int depth;
        };
        std::vector<Visit> open{{0, 0, 0}};
        while (!open.empty()) {
            const Visit visit = open.back();
            open.pop_back();
            frame(visit.node, visit.from, visit.depth);
            double from = visit.from;
            for (const auto child : children_[visit.node]) {
                if (total(child) * scale_ >= least_width &&
                    figure_.share(child, options_.series) >= options_.least_share)
                    open.push_back({child, from, visit.depth + 1});
                from += total(child);
            }
        }
    }

    // Times are read in seconds.
    std::string amount(double value) const {
        const std::string number = figure_.unit == "ns" ? fmt::format("{:.4g} s", value / 1e9)
                                                        : fmt::format("{:.10g}", value);
        return number + " of " + clean(figure_.event);
    }

    // The name in a line of its own: "libc.so.6: 0.5 s of cpu-clock, 12.00 %, +3.20 points".
    std::string told(std::uint32_t node, const std::string& name) const {
        const std::string module =
            node == 0 ? "" : clean(figure_.frames[figure_.nodes[node].frame].module);
        const bool said = module.empty() || name == module || name == "[" + module + "]";
        return fmt::format("{}\n{}{}, {:.2f} %{}", name, said ? "" : module + ": ",
                           amount(total(node)), 100 * figure_.share(node, options_.series),
                           options_.before ? fmt::format(", {:+.2f} points", points(node)) : "");
    }

    void frame(std::uint32_t node, double from, int depth) {
        deepest_ = std::max(deepest_, depth);
        const bool root = node == 0;
        // On one line: what follows in the title is ours.
        const std::string name =
            root ? "all" : clean(figure_.frames[figure_.nodes[node].frame].name);
        const double width = total(node) * scale_;
        const double x = flame_margin + from * scale_;
        // Rows grow downwards in SVG; the group is shifted once the depth is known.
        const int y = -(depth + 1) * row_height;
        const char kind = root ? 'c' : style_class(figure_.frames[figure_.nodes[node].frame].kind);
        fmt::format_to(
            std::back_inserter(body_),
            "<g class=\"{}\"><title>{}</title><rect x=\"{:.2f}\" y=\"{}\" "
            "width=\"{:.2f}\" height=\"{}\"{}/>",
            options_.before ? 'd' : kind, xml_text(told(node, name)), x, y, width, row_height - 1,
            options_.before ? fmt::format(" fill=\"{}\"", change_colour(points(node), full_)) : "");
        const auto letters = static_cast<std::size_t>(std::max(0.0, width / letter_width - 1));
        if (letters >= 3)
            fmt::format_to(std::back_inserter(body_), "<text x=\"{:.2f}\" y=\"{}\">{}</text>",
                           x + 3, y + row_height - 5, xml_text(cut_text(name, letters)));
        body_ += "</g>\n";
    }

    std::string open(int height) const {
        return fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" width=\"{0}\" "
            "height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">\n"
            "<title>{2}</title>\n",
            options_.width, height, xml_text(options_.title));
    }

    std::string frames(int bottom) const {
        return fmt::format("<g class=\"frames\" transform=\"translate(0 {})\">\n{}</g>\n", bottom,
                           body_);
    }

    const FlameFigure& figure_;
    const FlameOptions& options_;
    std::vector<std::vector<std::uint32_t>> children_;
    double scale_ = 0;
    double full_ = 0;
    int deepest_ = 0;
    std::string body_;
};

}  // namespace

double full_change(const FlameFigure& figure, std::size_t series, std::size_t before) {
    double most = 0;
    for (std::size_t i = 1; i < figure.nodes.size(); ++i)
        most = std::max(most, std::abs(change(figure, i, series, before)));
    return std::clamp(most, 1.0, 10.0);
}

std::string flame_file(const FlameFigure& figure, const FlameOptions& options) {
    return Drawing(figure, options).file();
}

std::string flame_part(const FlameFigure& figure, const FlameOptions& options) {
    return Drawing(figure, options).part();
}

}  // namespace ringside::render
