#include "export/flame_graph.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/embedded.h"

namespace ringside::exports {

namespace {

using perf::CpuMode;

constexpr int row_height = 16;
constexpr int top = 40;
constexpr int margin = 10;
constexpr double letter_width = 6.6;  // of the 11 px monospace font below
constexpr double least_width = 0.2;   // narrower frames cannot be seen

std::string escaped(std::string_view text) {
    std::string result;
    for (const char letter : text) {
        switch (letter) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                // XML has no control characters.
                result += static_cast<unsigned char>(letter) < 0x20 ? '?' : letter;
        }
    }
    return result;
}

// Told apart by lightness as well as by hue, so that they differ for every eye.
std::string_view style_class(const profile::CallTree::Frame& frame) {
    switch (frame.mode) {
        case CpuMode::kernel:
            return "k";
        case CpuMode::guest_kernel:
            return "g";
        case CpuMode::guest_user:
            return "v";
        case CpuMode::hypervisor:
            return "h";
        default:
            return frame.module.empty() ? "c" : "u";
    }
}

class Drawing {
  public:
    Drawing(const profile::CallTree& tree, const FlameGraphOptions& options)
        : tree_(tree),
          options_(options),
          children_(tree.children()),
          scale_(tree.nodes()[0].total == 0 ? 0.0
                                            : (options.width - 2.0 * margin) /
                                                  static_cast<double>(tree.nodes()[0].total)) {}

    std::string draw() {
        struct Visit {
            std::uint32_t node;
            std::uint64_t from;
            int depth;
        };
        std::vector<Visit> open{{0, 0, 0}};
        while (!open.empty()) {
            const Visit visit = open.back();
            open.pop_back();
            frame(visit.node, visit.from, visit.depth);
            std::uint64_t from = visit.from;
            for (const auto child : children_[visit.node]) {
                const std::uint64_t total = tree_.nodes()[child].total;
                if (static_cast<double>(total) * scale_ >= least_width)
                    open.push_back({child, from, visit.depth + 1});
                from += total;
            }
        }
        return head() + body_ + "</g>\n</svg>\n";
    }

  private:
    void frame(std::uint32_t index, std::uint64_t from, int depth) {
        deepest_ = std::max(deepest_, depth);
        const auto& node = tree_.nodes()[index];
        const bool root = index == 0;
        const std::string name = root ? "all" : escaped(tree_.frames()[node.frame].name);
        const double width = static_cast<double>(node.total) * scale_;
        const double x = margin + static_cast<double>(from) * scale_;
        const double share = tree_.nodes()[0].total == 0
                                 ? 0.0
                                 : 100.0 * static_cast<double>(node.total) /
                                       static_cast<double>(tree_.nodes()[0].total);
        // Rows grow downwards in SVG; the viewBox is shifted once the depth is known.
        const int y = -(depth + 1) * row_height;
        fmt::format_to(std::back_inserter(body_),
                       "<g class=\"{}\"><title>{} ({} {}, {:.2f}%)</title><rect x=\"{:.2f}\" "
                       "y=\"{}\" width=\"{:.2f}\" height=\"{}\"/>",
                       root ? "c" : style_class(tree_.frames()[node.frame]), name, node.total,
                       options_.unit, share, x, y, width, row_height - 1);
        const auto letters = static_cast<std::size_t>(std::max(0.0, width / letter_width - 1));
        if (letters >= 3)
            fmt::format_to(std::back_inserter(body_), "<text x=\"{:.2f}\" y=\"{}\">{}</text>",
                           x + 2, y + row_height - 4, shortened(index, letters));
        body_ += "</g>\n";
    }

    std::string shortened(std::uint32_t index, std::size_t letters) const {
        if (index == 0) return "all";
        std::string name = tree_.frames()[tree_.nodes()[index].frame].name;
        if (name.size() > letters) name = name.substr(0, letters - 2) + "..";
        // A cut must not leave half a UTF-8 letter.
        for (auto& byte : name)
            if (static_cast<unsigned char>(byte) >= 0x80) byte = '?';
        return escaped(name);
    }

    std::string head() const {
        const int height = top + (deepest_ + 1) * row_height + margin;
        return fmt::format(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
            "viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">\n"
            "<title>{2}</title>\n<style>{3}</style>\n"
            "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
            "<text class=\"title\" x=\"{4}\" y=\"22\">{2}</text>\n"
            "<text class=\"hint\" x=\"{5}\" y=\"22\" text-anchor=\"end\"></text>\n"
            "<script type=\"text/ecmascript\"><![CDATA[{6}]]></script>\n"
            "<g id=\"frames\" transform=\"translate(0 {7})\">\n",
            options_.width, height, escaped(options_.title),
            base::embedded_file("export/flame_graph.css").value_or(""), margin,
            options_.width - margin, base::embedded_file("export/flame_graph.js").value_or(""),
            height - margin);
    }

    const profile::CallTree& tree_;
    const FlameGraphOptions& options_;
    std::vector<std::vector<std::uint32_t>> children_;
    double scale_;
    int deepest_ = 0;
    std::string body_;
};

}  // namespace

std::string flame_graph_svg(const profile::CallTree& tree, const FlameGraphOptions& options) {
    return Drawing(tree, options).draw();
}

}  // namespace ringside::exports
