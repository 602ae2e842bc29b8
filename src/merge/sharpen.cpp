#include "merge/sharpen.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace ringside::merge {

namespace {

// A line a + b * x through the corridor of all these leaves every sample in its run. x is the
// guest's time, from -1 to 1; the rest is in ns.
struct Corridor {
    double x = 0;
    double low = 0;
    double high = 0;
};

// With that slope, the lines that fit lie between these two, if low <= high.
struct Gap {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();

    double width() const { return high - low; }
    double middle() const { return (low + high) / 2; }
};

Gap gap_at(const std::vector<Corridor>& corridors, double slope) {
    Gap gap;
    for (const auto& corridor : corridors) {
        gap.low = std::max(gap.low, corridor.low - slope * corridor.x);
        gap.high = std::min(gap.high, corridor.high - slope * corridor.x);
    }
    return gap;
}

// The width is a concave function of the slope: a search that halves its interval finds the widest.
double widest_slope(const std::vector<Corridor>& corridors, double reach) {
    double from = -reach;
    double to = reach;
    while (to - from > 1) {
        const double third = (to - from) / 3;
        const bool left =
            gap_at(corridors, from + third).width() >= gap_at(corridors, to - third).width();
        (left ? to : from) = left ? to - third : from + third;
    }
    return (from + to) / 2;
}

// How far the slope can go from `slope` in that direction before nothing fits.
double last_slope(const std::vector<Corridor>& corridors, double slope, double reach) {
    double inside = slope;
    double outside = slope + reach;
    while (std::abs(outside - inside) > 1) {
        const double middle = (inside + outside) / 2;
        (gap_at(corridors, middle).width() >= 0 ? inside : outside) = middle;
    }
    return inside;
}

class Sharpening {
  public:
    Sharpening(const ClockMap& map, std::span<const CpuPair> pairs, const Window& host)
        : pairs_(pairs), host_(host) {
        std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
        std::uint64_t last = 0;
        for (const auto& pair : pairs) {
            if (pair.times_ns.empty()) continue;
            first = std::min(first, pair.times_ns.front());
            last = std::max(last, pair.times_ns.back());
        }
        half_ns_ = std::max(1.0, difference(last, first) / 2);
        const std::uint64_t middle = first + static_cast<std::uint64_t>(half_ns_);
        best_.map = {middle, map.to_host(middle), map.rate};
    }

    Sharpened run() {
        // First all samples that could belong, then fewer, so that strays lose their say.
        constexpr std::array<double, 8> tolerances_ns{50'000, 20'000, 10'000, 5'000,
                                                      2'000,  0,      0,      0};
        ClockMap map = best_.map;
        std::uint64_t most = agreement(map, pairs_, host_).inside;
        for (const auto tolerance_ns : tolerances_ns) {
            map = centred(map, corridors(map, tolerance_ns));
            const std::uint64_t inside = agreement(map, pairs_, host_).inside;
            if (inside < most) continue;
            most = inside;
            best_.map = map;
        }
        const auto kept = corridors(best_.map, 0);
        best_.uncertainty_ns = kept.empty() ? reach_ns : deviation(kept);
        return best_;
    }

  private:
    static constexpr double reach_ns = 100'000;

    // Of each sample that lies in a run or at most that far from one.
    std::vector<Corridor> corridors(const ClockMap& map, double tolerance_ns) const {
        std::vector<Corridor> list;
        for (const auto& pair : pairs_) {
            auto run = pair.runs.begin();
            for (const auto time_ns : pair.times_ns) {
                const std::uint64_t at = map.to_host(time_ns);
                while (run != pair.runs.end() && run->end_ns < at) ++run;
                add(pair, run, at, tolerance_ns, difference(time_ns, map.guest_ns) / half_ns_,
                    list);
            }
        }
        return list;
    }

    // `next` is the first run that does not end before `at`; the one before it may be nearer.
    static void add(const CpuPair& pair, std::span<const Span>::iterator next, std::uint64_t at,
                    double tolerance_ns, double x, std::vector<Corridor>& list) {
        const Span* nearest = nullptr;
        double distance = tolerance_ns;
        if (next != pair.runs.end() && difference(next->begin_ns, at) <= distance) {
            nearest = &*next;
            distance = std::max(0.0, difference(next->begin_ns, at));
        }
        if (next != pair.runs.begin() && difference(at, (next - 1)->end_ns) < distance)
            nearest = &*(next - 1);
        if (nearest == nullptr) return;
        list.push_back({x, difference(nearest->begin_ns, at), difference(nearest->end_ns, at)});
    }

    ClockMap centred(const ClockMap& map, const std::vector<Corridor>& list) const {
        if (list.empty()) return map;
        const double slope = widest_slope(list, reach_ns);
        ClockMap result = map.moved(gap_at(list, slope).middle());
        result.rate += slope / half_ns_;
        return result;
    }

    // The lines that still fit, at both ends of the time.
    double deviation(const std::vector<Corridor>& list) const {
        double most = gap_at(list, 0).width() / 2;
        for (const double direction : {-1.0, 1.0}) {
            const double slope = last_slope(list, 0, direction * reach_ns);
            const double moved = gap_at(list, slope).middle();
            most = std::max({most, std::abs(moved + slope), std::abs(moved - slope)});
        }
        return most;
    }

    std::span<const CpuPair> pairs_;
    Window host_;
    double half_ns_ = 1;  // of the samples' time
    Sharpened best_;
};

}  // namespace

Sharpened sharpen(const ClockMap& map, std::span<const CpuPair> pairs, const Window& host) {
    return Sharpening(map, pairs, host).run();
}

}  // namespace ringside::merge
