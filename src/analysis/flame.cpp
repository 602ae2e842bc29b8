#include "analysis/flame.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/assert.h"

namespace ringside::analysis {

using model::FlameFigure;

namespace {

double largest_share(const FlameFigure& figure, std::size_t node) {
    double share = 0;
    for (std::size_t i = 0; i < figure.series.size(); ++i)
        share = std::max(share, figure.share(node, i));
    return share;
}

// Of `most` nodes besides the root, the heaviest first; a parent is never lighter than its child,
// so that sorting them stably keeps it before.
std::vector<std::uint32_t> heaviest(const std::vector<double>& shares, std::size_t most) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 1; i < shares.size(); ++i)
        if (shares[i] > 0) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return shares[a] > shares[b]; });
    if (order.size() > most) order.resize(most);
    std::sort(order.begin(), order.end());
    return order;
}

}  // namespace

FlameJoin::FlameJoin(std::vector<std::string> series) {
    all_.series = std::move(series);
    all_.nodes.push_back({0, 0, std::vector<double>(all_.series.size())});
}

std::uint32_t FlameJoin::frame_id(const model::Frame& frame) {
    const auto next = static_cast<std::uint32_t>(all_.frames.size());
    const auto [found, added] = frame_ids_.emplace(
        fmt::format("{}\n{}\n{}", frame.name, frame.module, static_cast<int>(frame.kind)), next);
    if (added) all_.frames.push_back(frame);
    return found->second;
}

std::uint32_t FlameJoin::child(std::uint32_t parent, std::uint32_t frame) {
    const auto next = static_cast<std::uint32_t>(all_.nodes.size());
    const auto [found, added] = children_.emplace(std::uint64_t{parent} << 32 | frame, next);
    if (added) all_.nodes.push_back({parent, frame, std::vector<double>(all_.series.size())});
    return found->second;
}

void FlameJoin::add(std::size_t series, const model::StackTree& stacks, double factor) {
    RINGSIDE_ASSERT(series < all_.series.size());
    if (all_.event.empty()) {
        all_.event = stacks.event;
        all_.unit = stacks.unit;
    }
    std::vector<std::uint32_t> frames;
    for (const auto& frame : stacks.frames) frames.push_back(frame_id(frame));
    std::vector<double> totals(stacks.nodes.size());
    for (std::size_t i = stacks.nodes.size(); i-- > 0;) {
        totals[i] += stacks.nodes[i].self;
        if (i > 0) totals[stacks.nodes[i].parent] += totals[i];
    }
    std::vector<std::uint32_t> joined(stacks.nodes.size());
    for (std::size_t i = 0; i < stacks.nodes.size(); ++i) {
        const auto& node = stacks.nodes[i];
        if (i > 0) joined[i] = child(joined[node.parent], frames[node.frame]);
        all_.nodes[joined[i]].totals[series] += factor * totals[i];
    }
}

FlameFigure FlameJoin::figure(std::size_t most) const {
    FlameFigure figure = all_;
    std::vector<double> shares(all_.nodes.size());
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = largest_share(all_, i);
    std::vector<std::uint32_t> place(all_.nodes.size());
    figure.nodes.resize(1);
    for (const auto old : heaviest(shares, most)) {
        place[old] = static_cast<std::uint32_t>(figure.nodes.size());
        figure.nodes.push_back(all_.nodes[old]);
        figure.nodes.back().parent = place[all_.nodes[old].parent];
    }
    for (std::size_t i = 1; i < shares.size(); ++i) {
        if (place[i] != 0 || shares[i] <= 0) continue;
        ++figure.left_out;
        figure.left_out_share = std::max(figure.left_out_share, shares[i]);
    }
    return figure;
}

}  // namespace ringside::analysis
