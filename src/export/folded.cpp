#include "export/folded.h"

namespace ringside::exports {

namespace {

class FoldedWriter {
  public:
    explicit FoldedWriter(const profile::CallTree& tree)
        : tree_(tree), children_(tree.children()) {}

    std::string write() {
        struct Visit {
            std::uint32_t node = 0;
            std::size_t prefix_bytes = 0;  // of the path above it
        };
        std::vector<Visit> open{{0, 0}};
        while (!open.empty()) {
            const Visit visit = open.back();
            open.pop_back();
            path_.resize(visit.prefix_bytes);
            if (visit.node != 0) enter(visit.node);
            const auto& below = children_[visit.node];
            for (auto child = below.rbegin(); child != below.rend(); ++child)
                open.push_back({*child, path_.size()});
        }
        return std::move(text_);
    }

  private:
    // ";" parts frames and a line's last blank its weight: neither may be inside a name.
    void enter(std::uint32_t index) {
        const auto& node = tree_.nodes()[index];
        if (!path_.empty()) path_ += ';';
        for (const char letter : tree_.frames()[node.frame].name)
            path_ += letter == ';' || letter == '\n' || letter == '\r' ? ':' : letter;
        if (node.self == 0) return;
        text_ += path_;
        text_ += ' ';
        text_ += std::to_string(node.self);
        text_ += '\n';
    }

    const profile::CallTree& tree_;
    std::vector<std::vector<std::uint32_t>> children_;
    std::string path_;
    std::string text_;
};

}  // namespace

std::string folded(const profile::CallTree& tree) {
    return FoldedWriter(tree).write();
}

}  // namespace ringside::exports
