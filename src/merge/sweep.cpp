#include "merge/sweep.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ringside::merge {

namespace {

// Moves from `at` on cover one sample more or less.
struct Edge {
    double at = 0;
    int change = 0;
};

void add_edges(const ClockMap& map, const CpuPair& pair, std::uint64_t time_ns, double radius_ns,
               std::vector<Edge>& edges) {
    const std::uint64_t at = map.to_host(time_ns);
    const auto radius = static_cast<std::uint64_t>(radius_ns);
    auto run = std::lower_bound(
        pair.runs.begin(), pair.runs.end(), at > radius ? at - radius : 0,
        [](const Span& span, std::uint64_t instant) { return span.end_ns < instant; });
    for (; run != pair.runs.end() && run->begin_ns <= at + radius; ++run) {
        edges.push_back({std::max(-radius_ns, difference(run->begin_ns, at)), 1});
        edges.push_back({std::min(radius_ns, difference(run->end_ns, at)), -1});
    }
}

struct Step {
    double from = 0;
    double to = 0;
    int covered = 0;

    double distance() const { return from > 0 ? from : to < 0 ? -to : 0; }
};

// Between two edges the number of covered samples is constant.
std::vector<Step> steps_of(std::vector<Edge>& edges) {
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
        return a.at != b.at ? a.at < b.at : a.change > b.change;  // an end is still inside
    });
    std::vector<Step> steps;
    int covered = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        covered += edges[i].change;
        // Where one ends as another begins, both cover that very move.
        if (i + 1 < edges.size() && (edges[i].change > 0 || edges[i + 1].at > edges[i].at))
            steps.push_back({edges[i].at, edges[i + 1].at, covered});
    }
    return steps;
}

}  // namespace

double BestMove::uncertainty_ns() const {
    return std::max(most_ns - middle_ns(), middle_ns() - least_ns);
}

BestMove best_move(const ClockMap& map, std::span<const CpuPair> pairs, const Window& window,
                   double radius_ns) {
    BestMove best;
    std::vector<Edge> edges;
    for (const auto& pair : pairs) {
        const auto& times = pair.times_ns;
        auto time = std::lower_bound(times.begin(), times.end(), window.from_ns);
        for (; time != times.end() && *time <= window.to_ns; ++time, ++best.samples)
            add_edges(map, pair, *time, radius_ns, edges);
    }
    const auto steps = steps_of(edges);
    const Step* found = nullptr;
    for (const auto& step : steps)
        if (found == nullptr || step.covered > found->covered ||
            (step.covered == found->covered && step.distance() < found->distance()))
            found = &step;
    if (found == nullptr) return best;
    best.covered = static_cast<std::uint64_t>(found->covered);
    best.low_ns = best.least_ns = found->from;
    best.high_ns = best.most_ns = found->to;
    const auto missed = static_cast<double>(best.samples - best.covered);
    const auto good = found->covered - static_cast<int>(std::sqrt(missed)) - 1;
    for (const auto& step : steps) {
        if (step.covered < good) continue;
        best.least_ns = std::min(best.least_ns, step.from);
        best.most_ns = std::max(best.most_ns, step.to);
    }
    return best;
}

BestMove wide_best_move(const ClockMap& map, std::span<const CpuPair> pairs, const Window& window,
                        double radius_ns) {
    while (true) {
        const auto move = best_move(map, pairs, window, radius_ns);
        const bool good = move.covered * 20 >= move.samples * 19;
        const bool open = move.least_ns <= -radius_ns || move.most_ns >= radius_ns;
        if (!good || !open || radius_ns >= widest_search_ns) return move;
        radius_ns = std::min(2 * radius_ns, widest_search_ns);
    }
}

}  // namespace ringside::merge
