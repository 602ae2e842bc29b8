// Every one of the seven states is reached from planted observations.
#include "trust/judge.h"

#include <cerrno>

#include <gmock/gmock.h>

namespace ringside::trust {
namespace {

using testing::HasSubstr;

Observation known_loop(std::uint64_t counted) {
    Observation seen;
    seen.event.name = "instructions";
    seen.event.kind = model::EventKind::hardware;
    seen.provocation = {Workload::loop, 1'999'998, Witness::loop, Level::user};
    seen.baseline = 500;
    seen.count = perf::Count{counted + seen.baseline, 1'000'000, 1'000'000};
    return seen;
}

Observation provoked(std::uint64_t counted, std::uint64_t least) {
    Observation seen;
    seen.event.name = "cache-misses";
    seen.provocation = {Workload::memory, least, Witness::none, Level::any};
    seen.count = perf::Count{counted, 1'000'000, 1'000'000};
    return seen;
}

Observation refused(int error) {
    Observation seen;
    seen.event.name = "cycles";
    seen.open_error = Error{ErrorCode::not_found, error, "cannot open the event cycles", {}};
    return seen;
}

TEST(Judge, ExactLoopIsOk) {
    const Verdict verdict = judge(known_loop(1'999'998), {});
    EXPECT_EQ(verdict.state, CounterState::ok);
    EXPECT_EQ(verdict.count, 1'999'998u);
    EXPECT_THAT(verdict.detail, HasSubstr("1 999 998 counted, 1 999 998 expected"));
}

TEST(Judge, AFewInterruptsDoNotMatter) {
    EXPECT_EQ(judge(known_loop(2'000'010), {}).state, CounterState::ok);
}

TEST(Judge, WrongLoopCountIsImplausible) {
    EXPECT_EQ(judge(known_loop(1'500'000), {}).state, CounterState::implausible);
    EXPECT_EQ(judge(known_loop(2'500'000), {}).state, CounterState::implausible);
}

TEST(Judge, ZeroThatNothingContradictsIsOk) {
    Observation seen = provoked(0, 0);
    EXPECT_EQ(judge(seen, {}).state, CounterState::ok);
    seen = provoked(0, 100);
    seen.caused.ran = false;
    seen.caused.why_not = "one CPU only";
    const Verdict verdict = judge(seen, {});
    EXPECT_EQ(verdict.state, CounterState::ok);
    EXPECT_THAT(verdict.detail, HasSubstr("one CPU only"));
}

TEST(Judge, ZeroAlthoughProvokedIsDeadWhileOthersCount) {
    const Verdict verdict = judge(provoked(0, 100), {true, true, false});
    EXPECT_EQ(verdict.state, CounterState::dead);
    EXPECT_THAT(verdict.detail, HasSubstr("does not list it"));
}

TEST(Judge, ZeroWhileNoCounterCountsIsStarvedInAGuest) {
    EXPECT_EQ(judge(provoked(0, 100), {true, false, true}).state, CounterState::starved);
}

TEST(Judge, ZeroWhileNoCounterCountsIsDeadOnBareMetal) {
    EXPECT_EQ(judge(provoked(0, 100), {false, false, std::nullopt}).state, CounterState::dead);
}

TEST(Judge, OnlyASilentHardwareEventNeedsAReference) {
    EXPECT_TRUE(needs_reference(provoked(0, 100)));
    EXPECT_FALSE(needs_reference(provoked(0, 0)));
    EXPECT_FALSE(needs_reference(provoked(1, 100)));
    EXPECT_FALSE(needs_reference(refused(ENOENT)));
    Observation software = provoked(0, 100);
    software.event.kind = model::EventKind::software;
    EXPECT_FALSE(needs_reference(software));
}

TEST(Judge, FewerThanCertainIsImplausible) {
    EXPECT_EQ(judge(provoked(7, 100), {}).state, CounterState::implausible);
}

TEST(Judge, RefusalsAreToldApart) {
    EXPECT_EQ(judge(refused(ENOENT), {}).state, CounterState::absent);
    EXPECT_EQ(judge(refused(EOPNOTSUPP), {}).state, CounterState::absent);
    EXPECT_EQ(judge(refused(EACCES), {}).state, CounterState::not_permitted);
    EXPECT_EQ(judge(refused(ENOSYS), {}).state, CounterState::not_permitted);
    EXPECT_EQ(judge(refused(EBUSY), {}).state, CounterState::not_scheduled);
}

TEST(Judge, NeverOnACounterIsNotScheduled) {
    Observation seen = provoked(0, 100);
    seen.count->running_ns = 0;
    EXPECT_EQ(judge(seen, {}).state, CounterState::not_scheduled);
    EXPECT_FALSE(judge(seen, {}).count.has_value());
    seen.count.reset();
    EXPECT_EQ(judge(seen, {}).state, CounterState::not_scheduled);
}

TEST(Judge, KernelEventsMeanNothingInUserMode) {
    Observation seen = provoked(0, 10);
    seen.provocation.level = Level::kernel;
    seen.user_only = true;
    EXPECT_EQ(judge(seen, {}).state, CounterState::not_permitted);
}

TEST(Judge, CountingWhenStoppedIsImplausible) {
    Observation seen = known_loop(1'999'998);
    seen.grew_when_stopped = 12;
    EXPECT_EQ(judge(seen, {}).state, CounterState::implausible);
}

TEST(Judge, MultiplexedCountsAreScaledAndSaidToBe) {
    Observation seen = provoked(600, 1000);
    seen.count->running_ns = 500'000;
    const Verdict verdict = judge(seen, {});
    EXPECT_EQ(verdict.state, CounterState::ok);
    EXPECT_EQ(verdict.count, 1200u);
    EXPECT_THAT(verdict.detail, HasSubstr("50 %"));
}

TEST(Judge, WitnessBoundsTheCount) {
    Observation seen = provoked(256, 16);
    seen.provocation.witness = Witness::faults;
    seen.caused.minor_faults = 250;
    seen.caused.major_faults = 6;
    EXPECT_EQ(judge(seen, {}).state, CounterState::ok);
    seen.count->value = 2560;
    EXPECT_EQ(judge(seen, {}).state, CounterState::implausible);
    seen.count->value = 100;
    EXPECT_EQ(judge(seen, {}).state, CounterState::implausible);
}

TEST(Judge, ClocksMustLieBetweenCpuTimeAndWall) {
    Observation seen = provoked(1'000'000, 1);
    seen.provocation.witness = Witness::clock;
    seen.caused.clock_ns = {990'000, 1'010'000};
    EXPECT_EQ(judge(seen, {}).state, CounterState::ok);
    seen.count->value = 2'000'000;
    EXPECT_EQ(judge(seen, {}).state, CounterState::implausible);
    seen.count->value = 500'000;
    EXPECT_EQ(judge(seen, {}).state, CounterState::implausible);
}

std::vector<SlotObservation> slots_counting(std::vector<std::optional<std::uint64_t>> counts) {
    std::vector<SlotObservation> slots;
    for (const auto& count : counts) {
        slots.push_back({static_cast<int>(slots.size()), "instructions:u", {2000, 2000}, count});
    }
    return slots;
}

std::vector<CounterState> states(const std::vector<SlotVerdict>& verdicts) {
    std::vector<CounterState> all;
    for (const auto& verdict : verdicts) all.push_back(verdict.state);
    return all;
}

TEST(JudgeSlots, ShortCountersAreStarvedInAGuest) {
    using enum CounterState;
    EXPECT_THAT(states(judge_slots(slots_counting({2000, 1200, 0, std::nullopt, 9000}), true)),
                testing::ElementsAre(ok, starved, starved, not_scheduled, implausible));
}

TEST(JudgeSlots, BareMetalHasNobodyToTakeThem) {
    using enum CounterState;
    EXPECT_THAT(states(judge_slots(slots_counting({2000, 1200, 0}), false)),
                testing::ElementsAre(ok, implausible, dead));
}

TEST(Grouped, ThreeDigitsAtATime) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1 000");
    EXPECT_EQ(grouped(1234567), "1 234 567");
}

}  // namespace
}  // namespace ringside::trust
