#include "merge/coarse_search.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "merge/correlation.h"
#include "merge/sweep.h"

namespace ringside::merge {

namespace {

constexpr double finest_bin_ns = 10'000;
constexpr double most_bins = 1'000'000;
constexpr std::size_t most_candidates = 12;
constexpr double bins_around = 3;

class Search {
  public:
    Search(std::span<const CpuPair> pairs, const Window& host) : pairs_(pairs), host_(host) {}

    // The window laid over every part of the host's recording at once, in steps of a bin; then the
    // best places looked at exactly.
    std::vector<ClockMap> candidates(const Window& window) const {
        const double host_ns = static_cast<double>(host_.to_ns - host_.from_ns);
        const double span_ns = host_ns + static_cast<double>(window.to_ns - window.from_ns);
        const double bin_ns = std::max(finest_bin_ns, span_ns / most_bins);
        std::vector<Candidate> found;
        for (const auto shift : lowest(misses_by_shift(window, bin_ns))) {
            const auto offset = static_cast<std::uint64_t>(static_cast<double>(shift) * bin_ns);
            const ClockMap coarse{window.from_ns, host_.from_ns + offset, 1};
            if (is_covered(found, coarse.host_ns, bins_around * bin_ns)) continue;
            const auto move = wide_best_move(coarse, pairs_, window, bins_around * bin_ns);
            found.push_back({coarse.moved(move.middle_ns()), coarse.moved(move.least_ns).host_ns,
                             coarse.moved(move.most_ns).host_ns, move});
            if (found.size() == most_candidates) break;
        }
        std::uint64_t most = 0;
        for (const auto& candidate : found) most = std::max(most, candidate.move.covered);
        // What is clearly worse already here is not followed.
        std::vector<ClockMap> maps;
        for (const auto& [map, least, last, move] : found)
            if (move.covered + move.samples / 20 + 3 >= most) maps.push_back(map);
        return maps;
    }

  private:
    struct Candidate {
        ClockMap map;
        std::uint64_t least_ns = 0;  // where the window can begin in the host's time
        std::uint64_t most_ns = 0;
        BestMove move;
    };

    // Whether a candidate speaks for that beginning, too.
    static bool is_covered(const std::vector<Candidate>& found, std::uint64_t begin_ns,
                           double around_ns) {
        const auto around = static_cast<std::uint64_t>(around_ns);
        return std::any_of(found.begin(), found.end(), [&](const Candidate& candidate) {
            return begin_ns + around >= candidate.least_ns &&
                   begin_ns <= candidate.most_ns + around;
        });
    }

    // How many samples of the window fall outside of runs if it begins that many bins behind the
    // host's first instant.
    std::vector<double> misses_by_shift(const Window& window, double bin_ns) const {
        const auto bin_of = [&](std::uint64_t from, std::uint64_t at) {
            return static_cast<std::size_t>(static_cast<double>(at - from) / bin_ns);
        };
        const std::size_t host_bins = bin_of(host_.from_ns, host_.to_ns) + 1;
        const std::size_t window_bins = bin_of(window.from_ns, window.to_ns) + 1;
        Correlation correlation(std::bit_ceil(host_bins + 2 * window_bins));
        for (const auto& pair : pairs_) {
            std::vector<double> counts(window_bins);
            for (const auto time : pair.times_ns)
                if (time >= window.from_ns && time <= window.to_ns)
                    ++counts[bin_of(window.from_ns, time)];
            correlation.add(gaps(pair, bin_ns, host_bins, window_bins), counts);
        }
        auto misses = std::move(correlation).take();
        misses.resize(host_bins);
        return misses;
    }

    // How much of each bin the thread did not run; behind the recording's end it never does.
    std::vector<double> gaps(const CpuPair& pair, double bin_ns, std::size_t host_bins,
                             std::size_t behind) const {
        std::vector<double> gap(host_bins + behind, 1.0);
        for (const auto& run : pair.runs) {
            const double begin = static_cast<double>(run.begin_ns - host_.from_ns) / bin_ns;
            const double end = static_cast<double>(run.end_ns - host_.from_ns) / bin_ns;
            for (auto bin = static_cast<std::size_t>(begin); bin < host_bins; ++bin) {
                const auto left = static_cast<double>(bin);
                if (left >= end) break;
                gap[bin] -= std::min(end, left + 1) - std::max(begin, left);
            }
        }
        return gap;
    }

    // Where the misses have a minimum, the lowest first.
    static std::vector<std::size_t> lowest(const std::vector<double>& misses) {
        std::vector<std::size_t> shifts;
        for (std::size_t i = 0; i < misses.size(); ++i) {
            const bool left = i == 0 || misses[i] <= misses[i - 1];
            const bool right = i + 1 == misses.size() || misses[i] <= misses[i + 1];
            if (left && right) shifts.push_back(i);
        }
        std::stable_sort(shifts.begin(), shifts.end(),
                         [&](std::size_t a, std::size_t b) { return misses[a] < misses[b]; });
        return shifts;
    }

    std::span<const CpuPair> pairs_;
    Window host_;
};

}  // namespace

std::vector<ClockMap> coarse_maps(std::span<const CpuPair> pairs, const Window& host,
                                  const Window& window) {
    return Search(pairs, host).candidates(window);
}

}  // namespace ringside::merge
