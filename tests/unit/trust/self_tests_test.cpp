#include "trust/self_tests.h"

#include <cerrno>

#include <gmock/gmock.h>

#include "trust/sampling.h"
#include "trust/user_read_probe.h"
#include "trust/watch.h"

namespace ringside::trust {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(JudgeStopped, AStoppedEventMustNotCount) {
    EXPECT_EQ(judge_stopped(1000, 0).state, CounterState::ok);
    EXPECT_EQ(judge_stopped(1000, 1).state, CounterState::implausible);
    EXPECT_EQ(judge_stopped(0, 0).state, CounterState::dead);
}

TEST(JudgeExits, TheSlopeIsWhatTheVmmLeaks) {
    EXPECT_EQ(judge_exits(200, 800, 800).state, CounterState::ok);
    const SelfTest leaking = judge_exits(200, 800 + 200 * 59, 800);
    EXPECT_EQ(leaking.state, CounterState::implausible);
    EXPECT_THAT(leaking.detail, HasSubstr("59.00"));
    EXPECT_EQ(judge_exits(200, 0, 800).state, CounterState::implausible);
}

TEST(JudgeLevels, UserAndKernelMustAddUp) {
    EXPECT_EQ(judge_levels(1928, 761'684, 763'612).state, CounterState::ok);
    EXPECT_EQ(judge_levels(763'612, 763'612, 763'612).state, CounterState::implausible);
    EXPECT_EQ(judge_levels(0, 0, 0).state, CounterState::dead);
}

TEST(JudgeMultiplexing, EveryEventNeedsItsTurn) {
    const perf::Count half{100, 1000, 500};
    EXPECT_EQ(judge_multiplexing(1, {half, half}).state, CounterState::ok);
    EXPECT_EQ(judge_multiplexing(1, {half, {0, 1000, 0}}).state, CounterState::not_scheduled);
    const perf::Count whole{100, 1000, 1000};
    EXPECT_EQ(judge_multiplexing(1, {whole, whole}).state, CounterState::implausible);
}

SamplingObservation sampled(std::size_t samples) {
    SamplingObservation seen;
    seen.event = "cycles";
    seen.period = 1000;
    seen.count = 20'500;
    for (std::size_t i = 1; i <= samples; ++i) seen.counts_at_sample.push_back(i * 1000 + 30 + i);
    return seen;
}

TEST(JudgeSampling, EveryPeriodGivesASample) {
    const SelfTest test = judge_sampling(sampled(20));
    EXPECT_EQ(test.state, CounterState::ok);
    EXPECT_THAT(test.detail, HasSubstr("20 samples, 20 expected; skid 31 to 50 events"));
}

TEST(JudgeSampling, LateOrLostInterruptsShow) {
    EXPECT_EQ(judge_sampling(sampled(5)).state, CounterState::implausible);
    EXPECT_EQ(judge_sampling(sampled(30)).state, CounterState::implausible);
    EXPECT_EQ(judge_sampling(sampled(0)).state, CounterState::dead);
}

TEST(JudgeSampling, RecordsThatWereDroppedStillArrived) {
    SamplingObservation seen = sampled(10);
    seen.lost = 10;
    EXPECT_EQ(judge_sampling(seen).state, CounterState::ok);
}

TEST(JudgeSampling, ALateTimerSkipsPeriods) {
    SamplingObservation seen = sampled(5);
    seen.is_timer = true;
    EXPECT_EQ(judge_sampling(seen).state, CounterState::ok);
    EXPECT_THAT(judge_sampling(seen).detail, testing::Not(HasSubstr("skid")));
    seen.counts_at_sample.clear();
    EXPECT_EQ(judge_sampling(seen).state, CounterState::dead);
}

TEST(JudgeSampling, NothingCountedIsDead) {
    SamplingObservation seen = sampled(0);
    seen.count = 0;
    EXPECT_EQ(judge_sampling(seen).state, CounterState::dead);
    seen.count = 10;  // too little to say anything
    EXPECT_FALSE(judge_sampling(seen).state.has_value());
}

TEST(ChooseSampling, CyclesIfTheyArrive) {
    const auto report = choose_sampling({{"overflow_cycles", CounterState::ok, "20 samples"},
                                         {"overflow_cpu-clock", CounterState::ok, "8 samples"}});
    EXPECT_EQ(report.event, "cycles");
}

TEST(ChooseSampling, ASubstituteIsSaidToBeOne) {
    const auto report =
        choose_sampling({{"overflow_cycles", CounterState::implausible, "4 samples, 20 expected"},
                         {"overflow_cpu-clock", CounterState::ok, "8 samples"}});
    EXPECT_EQ(report.event, "cpu-clock");
    EXPECT_THAT(report.reason, HasSubstr("instead of cycles (4 samples, 20 expected)"));
}

TEST(ChooseSampling, NothingIsNull) {
    const auto report =
        choose_sampling({{"overflow_cycles", CounterState::not_permitted, "denied"},
                         {"overflow_cpu-clock", CounterState::not_permitted, "denied"}});
    EXPECT_FALSE(report.event.has_value());
    EXPECT_THAT(report.reason, HasSubstr("denied"));
}

UserReadObservation reads(std::uint64_t counted, int signal, std::uint64_t good) {
    UserReadObservation seen;
    seen.offered = true;
    seen.width_bits = 48;
    seen.counted = counted;
    seen.expected = 200'000;
    seen.signal = signal;
    seen.reads = good;
    return seen;
}

TEST(JudgeUserRead, TrueReadsAreOk) {
    const UserRead verdict = judge_user_read(reads(200'000, 0, 2000));
    EXPECT_EQ(verdict.state, CounterState::ok);
    EXPECT_EQ(verdict.width_bits, 48);
}

TEST(JudgeUserRead, FaultsAndLiesAreNot) {
    EXPECT_EQ(judge_user_read(reads(0, 4, 0)).state, CounterState::dead);
    const UserRead midway = judge_user_read(reads(0, 4, 77));
    EXPECT_EQ(midway.state, CounterState::implausible);
    EXPECT_THAT(midway.detail, HasSubstr("77"));
    EXPECT_EQ(judge_user_read(reads(150'000, 0, 2000)).state, CounterState::implausible);
}

TEST(JudgeUserRead, NotOfferedIsNotPermitted) {
    UserReadObservation seen;
    EXPECT_EQ(judge_user_read(seen).state, CounterState::not_permitted);
    EXPECT_FALSE(judge_user_read(seen).width_bits.has_value());
    seen.open_error = Error{ErrorCode::not_found, ENOENT, "no PMU", {}};
    EXPECT_EQ(judge_user_read(seen).state, CounterState::absent);
}

// Slices of 1 ms; `counts` is one row a slice.
std::vector<Slice> slices_of(const std::vector<std::vector<std::uint64_t>>& counts) {
    std::vector<Slice> slices;
    for (const auto& row : counts) {
        Slice slice{slices.size() * 1'000'000, 1'000'000, {}};
        for (const auto count : row) {
            const int slot = static_cast<int>(slice.slots.size());
            slice.slots.push_back({slot, "instructions:u", {2000, 2000}, count});
        }
        slices.push_back(std::move(slice));
    }
    return slices;
}

TEST(FindFreezes, NoneWhereAllCount) {
    EXPECT_THAT(find_freezes(slices_of({{2000, 2000}, {2000, 2001}})), IsEmpty());
    EXPECT_THAT(find_freezes({}), IsEmpty());
}

TEST(FindFreezes, SaysWhichCounterStoppedAndWhen) {
    const auto freezes = find_freezes(slices_of({{2000, 2000}, {2000, 900}, {2000, 0}, {2000, 0}}));
    ASSERT_THAT(freezes, SizeIs(1));
    EXPECT_EQ(freezes[0].slot, 1);
    EXPECT_EQ(freezes[0].at_ns, 1'000'000u);
    EXPECT_FALSE(freezes[0].until_ns.has_value());
}

TEST(FindFreezes, SeesACounterComeBack) {
    const auto freezes = find_freezes(slices_of({{0}, {2000}, {0}, {2000}}));
    ASSERT_THAT(freezes, SizeIs(2));
    EXPECT_EQ(freezes[0].at_ns, 0u);
    EXPECT_EQ(freezes[0].until_ns, 1'000'000u);
    EXPECT_EQ(freezes[1].at_ns, 2'000'000u);
    EXPECT_EQ(freezes[1].until_ns, 3'000'000u);
}

// Every slice takes 1 ms and 1000 cycles, but for the last.
std::vector<Slice> stolen_slices(std::uint64_t last_wall_ns, std::uint64_t last_cycles) {
    std::vector<Slice> slices;
    for (std::uint64_t i = 0; i < 5; ++i) {
        slices.push_back({i * 1'000'000, 1'000'000, {{0, "cycles:u", {100, UINT64_MAX}, 1000}}});
    }
    slices.back().wall_ns = last_wall_ns;
    slices.back().slots[0].count = last_cycles;
    return slices;
}

TEST(JudgeSteal, CyclesStopWhileTheHostRunsSomebodyElse) {
    EXPECT_EQ(judge_steal(stolen_slices(5'000'000, 1010), 4'000'000).state, CounterState::ok);
}

TEST(JudgeSteal, CyclesThatFollowTheWallAreContaminated) {
    const SelfTest test = judge_steal(stolen_slices(5'000'000, 5000), 4'000'000);
    EXPECT_EQ(test.state, CounterState::implausible);
    EXPECT_THAT(test.detail, HasSubstr("100 %"));
}

TEST(JudgeSteal, SaysNothingWithoutSteal) {
    EXPECT_FALSE(judge_steal(stolen_slices(5'000'000, 5000), 0).state.has_value());
    EXPECT_FALSE(judge_steal(stolen_slices(1'000'000, 1000), 4'000'000).state.has_value());
    EXPECT_FALSE(judge_steal({}, 4'000'000).state.has_value());
}

}  // namespace
}  // namespace ringside::trust
