#include "merge/interval_fit.h"

#include <algorithm>
#include <cmath>

#include "merge/coarse_search.h"
#include "merge/sharpen.h"
#include "merge/sweep.h"

namespace ringside::merge {

namespace {

// Over this long even the largest drift moves the clock by less than most runs are long.
constexpr std::uint64_t window_ns = 1'000'000'000;
constexpr std::size_t window_samples = 4000;
// How far a coarse clock can be wrong.
constexpr double around_ns = 30'000;

// What a part of the samples says the clock was.
struct Anchor {
    std::uint64_t guest_ns = 0;
    std::uint64_t host_ns = 0;
    double width_ns = 0;  // how far it can be moved
};

class Fitting {
  public:
    Fitting(std::span<const CpuPair> pairs, const Window& host) : pairs_(pairs), host_(host) {
        for (const auto& pair : pairs)
            times_.insert(times_.end(), pair.times_ns.begin(), pair.times_ns.end());
        std::sort(times_.begin(), times_.end());
    }

    std::vector<Fit> run() {
        if (times_.empty() || host_.to_ns <= host_.from_ns) return {};
        const Window window = densest_window();
        std::vector<Fit> fits;
        for (const auto& map : coarse_maps(pairs_, host_, window))
            fits.push_back(complete(map, window));
        std::stable_sort(fits.begin(), fits.end(), [](const Fit& a, const Fit& b) {
            return a.agreement.inside > b.agreement.inside;
        });
        return distinct(fits, window.from_ns);
    }

  private:
    // Several candidates can lead to one answer.
    static std::vector<Fit> distinct(const std::vector<Fit>& fits, std::uint64_t at_ns) {
        std::vector<Fit> kept;
        for (const auto& fit : fits) {
            const bool known = std::any_of(kept.begin(), kept.end(), [&](const Fit& other) {
                const auto apart = static_cast<double>(
                    static_cast<std::int64_t>(fit.map.to_host(at_ns) - other.map.to_host(at_ns)));
                return std::abs(apart) <= fit.uncertainty_ns + other.uncertainty_ns + around_ns;
            });
            if (!known) kept.push_back(fit);
        }
        return kept;
    }

    Window densest_window() const {
        Window best{times_.front(), times_.front()};
        std::size_t most = 0;
        std::size_t from = 0;
        for (std::size_t to = 0; to < times_.size(); ++to) {
            while (times_[to] - times_[from] > window_ns || to - from >= window_samples) ++from;
            if (to - from + 1 <= most) continue;
            most = to - from + 1;
            best = {times_[from], times_[to]};
        }
        return best;
    }

    // From the middle of the window outwards, part by part: from one to the next the clock can have
    // gone only a little further.
    Fit complete(const ClockMap& start, const Window& window) const {
        std::vector<Anchor> anchors;
        const std::uint64_t middle = window.from_ns + (window.to_ns - window.from_ns) / 2;
        const auto begin = static_cast<std::size_t>(
            std::lower_bound(times_.begin(), times_.end(), middle) - times_.begin());
        ClockMap map = start;
        for (std::size_t from = begin; from < times_.size();) {
            std::size_t to = from + 1;
            while (to < times_.size() && !is_part(from, to)) ++to;
            map = follow(map, {times_[from], times_[to - 1]}, anchors);
            from = to;
        }
        map = anchors.empty() ? start : map_at(anchors.front());
        for (std::size_t to = begin; to > 0;) {
            std::size_t from = to - 1;
            while (from > 0 && !is_part(from, to)) --from;
            map = follow(map, {times_[from], times_[to - 1]}, anchors);
            to = from;
        }
        return straighten(anchors);
    }

    // Long enough to tell something, and short enough that the clock stands still meanwhile.
    bool is_part(std::size_t from, std::size_t to) const {
        constexpr std::uint64_t enough_ns = window_ns / 10;
        constexpr std::size_t enough_samples = 50;
        const std::uint64_t length_ns = times_[to - 1] - times_[from];
        return length_ns >= window_ns || (length_ns >= enough_ns && to - from >= enough_samples);
    }

    static ClockMap map_at(const Anchor& anchor) { return {anchor.guest_ns, anchor.host_ns, 1}; }

    ClockMap follow(const ClockMap& map, const Window& part, std::vector<Anchor>& anchors) const {
        const std::uint64_t middle = part.from_ns + (part.to_ns - part.from_ns) / 2;
        const auto away =
            std::abs(static_cast<double>(static_cast<std::int64_t>(middle - map.guest_ns)));
        const double radius = std::min(widest_search_ns, around_ns + away * most_drift_ppm * 1e-6);
        const auto move = best_move(map, pairs_, part, radius);
        // A part that mostly contradicts says nothing of the clock.
        if (move.samples == 0 || move.covered * 10 < move.samples * 9) return map;
        const ClockMap moved = map.moved(move.middle_ns());
        anchors.push_back({middle, moved.to_host(middle), move.high_ns - move.low_ns});
        return map_at(anchors.back());
    }

    // One line through all anchors, moved and turned to where the samples like it best.
    Fit straighten(const std::vector<Anchor>& anchors) const {
        Fit fit;
        if (anchors.empty()) return fit;
        fit.map = line_through(anchors);
        const Window all{times_.front(), times_.back()};
        const double radius_ns = around_ns;
        fit.map = fit.map.moved(best_move(fit.map, pairs_, all, radius_ns).middle_ns());
        const auto sharp = sharpen(fit.map, pairs_, host_);
        fit.map = sharp.map;
        fit.agreement = agreement(fit.map, pairs_, host_);
        // Moves that a few strays could be wrong about are possible, too.
        fit.uncertainty_ns = std::max(
            sharp.uncertainty_ns, wide_best_move(fit.map, pairs_, all, radius_ns).uncertainty_ns());
        return fit;
    }

    // Least squares, each anchor with the weight of its precision. Too short a time shows no drift.
    static ClockMap line_through(const std::vector<Anchor>& anchors) {
        const Anchor& origin = anchors.front();
        double weights = 0, x_mean = 0, y_mean = 0;
        const auto x_of = [&](const Anchor& a) {
            return static_cast<double>(static_cast<std::int64_t>(a.guest_ns - origin.guest_ns));
        };
        const auto y_of = [&](const Anchor& a) {
            return static_cast<double>(static_cast<std::int64_t>(a.host_ns - origin.host_ns)) -
                   x_of(a);
        };
        const auto weight_of = [](const Anchor& a) {
            const double width = a.width_ns + 1000;
            return 1 / (width * width);
        };
        for (const auto& anchor : anchors) {
            const double weight = weight_of(anchor);
            weights += weight;
            x_mean += weight * x_of(anchor);
            y_mean += weight * y_of(anchor);
        }
        x_mean /= weights;
        y_mean /= weights;
        double xx = 0, xy = 0;
        for (const auto& anchor : anchors) {
            const double dx = x_of(anchor) - x_mean;
            xx += weight_of(anchor) * dx * dx;
            xy += weight_of(anchor) * dx * (y_of(anchor) - y_mean);
        }
        const double drift = anchors.size() >= 3 && xx > 0 ? xy / xx : 0;
        const ClockMap middle{
            origin.guest_ns + static_cast<std::uint64_t>(static_cast<std::int64_t>(x_mean)),
            origin.host_ns + static_cast<std::uint64_t>(static_cast<std::int64_t>(x_mean)),
            1 + drift};
        return middle.moved(y_mean);
    }

    std::span<const CpuPair> pairs_;
    Window host_;
    std::vector<std::uint64_t> times_;  // of all pairs
};

}  // namespace

std::vector<Fit> fit_to_runs(std::span<const CpuPair> pairs, const Window& host) {
    return Fitting(pairs, host).run();
}

bool as_good_as(const Agreement& best, const Agreement& other) {
    const double margin = 5 + 3 * std::sqrt(static_cast<double>(best.outside));
    return static_cast<double>(other.inside) + margin >= static_cast<double>(best.inside);
}

}  // namespace ringside::merge
