#include "merge/interval_fit.h"

#include <gmock/gmock.h>

#include "synthetic.h"

namespace ringside::merge {
namespace {

using builders::GuestClock;
using builders::ms;
using builders::second;

constexpr Window host_window{10 * second, 13 * second};

struct Cpu {
    std::vector<Span> runs;
    std::vector<std::uint64_t> times;

    CpuPair pair() const { return {times, runs}; }
};

Cpu uneven_cpu(const GuestClock& clock, unsigned seed, std::uint64_t every_ns = 500'000) {
    Cpu cpu;
    cpu.runs = builders::uneven_runs(host_window.from_ns, host_window.to_ns, seed);
    auto inner = cpu.runs;
    std::erase_if(inner, [](const Span& run) {
        return run.begin_ns < 10 * second + 300 * ms || run.end_ns > 12 * second + 700 * ms;
    });
    cpu.times = builders::samples_in(inner, every_ns, clock);
    return cpu;
}

// How far the map is from the truth at the worst of the samples.
double worst_error(const ClockMap& map, const GuestClock& clock) {
    double worst = 0;
    for (std::uint64_t at = 10 * second + 300 * ms; at <= 12 * second + 700 * ms;
         at += second / 5) {
        const auto found = static_cast<std::int64_t>(map.to_host(clock.of_host(at)) - at);
        worst = std::max(worst, std::abs(static_cast<double>(found)));
    }
    return worst;
}

class FindsClock : public ::testing::TestWithParam<GuestClock> {};

TEST_P(FindsClock, WithinItsOwnUncertainty) {
    for (unsigned seed = 1; seed <= 2; ++seed) {
        const Cpu first = uneven_cpu(GetParam(), seed);
        const Cpu second_cpu = uneven_cpu(GetParam(), seed + 100);
        const std::vector pairs{first.pair(), second_cpu.pair()};
        const auto fits = fit_to_runs(pairs, host_window);
        ASSERT_FALSE(fits.empty());
        EXPECT_EQ(fits.front().agreement.inside, first.times.size() + second_cpu.times.size());
        EXPECT_EQ(fits.front().agreement.outside, 0u);
        EXPECT_LE(worst_error(fits.front().map, GetParam()), fits.front().uncertainty_ns + 1);
        EXPECT_LT(fits.front().uncertainty_ns, 100'000);
        EXPECT_TRUE(fits.size() == 1 || !as_good_as(fits.front().agreement, fits[1].agreement));
    }
}

INSTANTIATE_TEST_SUITE_P(Clocks, FindsClock,
                         ::testing::Values(GuestClock{0, 0}, GuestClock{9 * second, 0},
                                           GuestClock{-3600 * std::int64_t{second}, 40},
                                           GuestClock{9'123'456'789, -80},
                                           GuestClock{9'123'456'789, 200}));

TEST(IntervalFit, CountsSamplesThatContradict) {
    const GuestClock clock{5 * second, 10};
    Cpu cpu = uneven_cpu(clock, 7);
    const std::size_t honest = cpu.times.size();
    std::size_t planted = 0;
    for (std::size_t i = 20; i + 1 < cpu.runs.size(); i += 20) {
        const auto& run = cpu.runs[i];
        if (cpu.runs[i + 1].begin_ns - run.end_ns < ms || run.end_ns < 10 * second + 400 * ms ||
            run.end_ns > 12 * second)
            continue;
        cpu.times.push_back(clock.of_host(run.end_ns + ms / 2));
        ++planted;
    }
    ASSERT_GT(planted, 2u);
    std::sort(cpu.times.begin(), cpu.times.end());
    const std::vector pairs{cpu.pair()};
    const auto fits = fit_to_runs(pairs, host_window);
    ASSERT_FALSE(fits.empty());
    EXPECT_EQ(fits.front().agreement.inside, honest);
    EXPECT_EQ(fits.front().agreement.outside, planted);
    EXPECT_LE(worst_error(fits.front().map, clock), fits.front().uncertainty_ns + 1);
}

// Nothing says when a vCPU that never stops took its samples.
TEST(IntervalFit, AVcpuThatNeverStopsFitsEverywhere) {
    Cpu cpu;
    cpu.runs = {{host_window.from_ns, host_window.to_ns}};
    cpu.times = builders::samples_in({{11 * second, 12 * second}}, ms, {});
    const std::vector pairs{cpu.pair()};
    const auto fits = fit_to_runs(pairs, host_window);
    ASSERT_FALSE(fits.empty());
    const bool moves = fits.front().uncertainty_ns >= widest_search_ns / 2;
    const bool several = fits.size() > 1 && as_good_as(fits[0].agreement, fits[1].agreement);
    EXPECT_TRUE(moves || several);
}

TEST(IntervalFit, APeriodicVcpuFitsInSeveralPlaces) {
    Cpu cpu;
    for (std::uint64_t at = host_window.from_ns; at + 10 * ms < host_window.to_ns; at += 10 * ms)
        cpu.runs.push_back({at, at + 2 * ms});
    const std::vector<Span> middle(cpu.runs.begin() + 100, cpu.runs.begin() + 200);
    cpu.times = builders::samples_in(middle, ms / 2, {});
    const std::vector pairs{cpu.pair()};
    const auto fits = fit_to_runs(pairs, host_window);
    ASSERT_GT(fits.size(), 1u);
    EXPECT_TRUE(as_good_as(fits[0].agreement, fits[1].agreement));
}

TEST(IntervalFit, BridgesAHugeGap) {
    const GuestClock clock{second, 30};
    const Window day{0, 60 * second};
    Cpu cpu;
    cpu.runs = builders::uneven_runs(second, 4 * second, 1);
    for (const auto& run : builders::uneven_runs(50 * second, 53 * second, 2))
        cpu.runs.push_back(run);
    cpu.times = builders::samples_in(cpu.runs, ms, clock);
    const std::vector pairs{cpu.pair()};
    const auto fits = fit_to_runs(pairs, day);
    ASSERT_FALSE(fits.empty());
    EXPECT_EQ(fits.front().agreement.outside, 0u);
    EXPECT_NEAR(fits.front().map.drift_ppm(), 30, 2);
}

TEST(IntervalFit, NothingToFit) {
    EXPECT_TRUE(fit_to_runs({}, host_window).empty());
    const Cpu idle;
    const std::vector pairs{idle.pair()};
    EXPECT_TRUE(fit_to_runs(pairs, host_window).empty());
}

TEST(Agreement, CountsInsideOutsideAndBeyond) {
    const std::vector<std::uint64_t> times{5, 10, 15, 20, 99};
    const std::vector<Span> runs{{8, 12}, {20, 30}};
    const auto found = agreement({}, {times, runs}, {6, 50});
    EXPECT_EQ(found.inside, 2u);
    EXPECT_EQ(found.outside, 1u);
    EXPECT_EQ(found.beyond, 2u);
}

}  // namespace
}  // namespace ringside::merge
