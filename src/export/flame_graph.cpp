#include "export/flame_graph.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

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

double share_of(const profile::CallTree& tree, std::uint64_t weight) {
    const std::uint64_t whole = tree.nodes()[0].total;
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(weight) / static_cast<double>(whole);
}

// For each node of `after` the share of the same path in `before`.
std::vector<double> shares_before(const profile::CallTree& before, const profile::CallTree& after) {
    const auto key = [](const profile::CallTree& tree, std::uint32_t parent, std::uint32_t node) {
        const auto& frame = tree.frames()[tree.nodes()[node].frame];
        return fmt::format("{}\n{}\n{}\n{}", parent, frame.name, frame.module,
                           static_cast<int>(frame.mode));
    };
    std::unordered_map<std::string, std::uint32_t> known;
    for (std::uint32_t i = 1; i < before.nodes().size(); ++i)
        known.emplace(key(before, before.nodes()[i].parent, i), i);
    constexpr std::uint32_t none = ~std::uint32_t{0};
    std::vector<std::uint32_t> twin(after.nodes().size(), none);
    std::vector<double> shares(after.nodes().size());
    twin[0] = 0;
    shares[0] = share_of(before, before.nodes()[0].total);
    for (std::uint32_t i = 1; i < twin.size(); ++i) {
        const std::uint32_t parent = twin[after.nodes()[i].parent];
        const auto found = parent == none ? known.end() : known.find(key(after, parent, i));
        if (found == known.end()) continue;
        twin[i] = found->second;
        shares[i] = share_of(before, before.nodes()[found->second].total);
    }
    return shares;
}

// White for no change; full red or blue from a change of ten percentage points on.
std::string change_colour(double points) {
    constexpr double full = 10;
    const double part = std::min(1.0, std::abs(points) / full);
    const int pale = 245 - static_cast<int>(part * 190);
    return points >= 0 ? fmt::format("rgb(245,{0},{0})", pale)
                       : fmt::format("rgb({0},{0},245)", pale);
}

class Drawing {
  public:
    // With `before` each frame is coloured by how its share changed from there.
    Drawing(const profile::CallTree& tree, const FlameGraphOptions& options,
            const profile::CallTree* before = nullptr)
        : tree_(tree),
          options_(options),
          before_(before != nullptr ? shares_before(*before, tree) : std::vector<double>{}),
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
        const double share = share_of(tree_, node.total);
        std::string change;
        std::string style;
        if (!before_.empty()) {
            change = fmt::format(", {:+.2f} points", share - before_[index]);
            style = fmt::format(" style=\"fill:{}\"", change_colour(share - before_[index]));
        }
        // Rows grow downwards in SVG; the viewBox is shifted once the depth is known.
        const int y = -(depth + 1) * row_height;
        fmt::format_to(std::back_inserter(body_),
                       "<g class=\"{}\"><title>{} ({} {}, {:.2f}%{})</title><rect x=\"{:.2f}\" "
                       "y=\"{}\" width=\"{:.2f}\" height=\"{}\"{}/>",
                       frame_class(index), name, node.total, options_.unit, share, change, x, y,
                       width, row_height - 1, style);
        const auto letters = static_cast<std::size_t>(std::max(0.0, width / letter_width - 1));
        if (letters >= 3)
            fmt::format_to(std::back_inserter(body_), "<text x=\"{:.2f}\" y=\"{}\">{}</text>",
                           x + 2, y + row_height - 4, shortened(index, letters));
        body_ += "</g>\n";
    }

    // A change has colours of its own, all light enough for black letters.
    std::string_view frame_class(std::uint32_t index) const {
        if (index == 0 || !before_.empty()) return "c";
        return style_class(tree_.frames()[tree_.nodes()[index].frame]);
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
    std::vector<double> before_;  // by node; empty if there is nothing to compare with
    std::vector<std::vector<std::uint32_t>> children_;
    double scale_;
    int deepest_ = 0;
    std::string body_;
};

}  // namespace

std::string flame_graph_svg(const profile::CallTree& tree, const FlameGraphOptions& options) {
    return Drawing(tree, options).draw();
}

std::string differential_flame_graph_svg(const profile::CallTree& before,
                                         const profile::CallTree& after,
                                         const FlameGraphOptions& options) {
    return Drawing(after, options, &before).draw();
}

}  // namespace ringside::exports
