// The arithmetic of a budget: whatever goes in, parts and rest sum up to the whole.
#include "analysis/time_budget.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::analysis {
namespace {

using testing::HasSubstr;

TimePart known(std::uint64_t ns, std::uint64_t error_ns = 0) {
    return {ns, error_ns, "a source", {}};
}

TimePart missing(std::string reason) {
    return {std::nullopt, 0, {}, std::move(reason)};
}

// One thread, a second long; every source there.
TimeFacts whole_facts() {
    TimeFacts facts;
    facts.lifetime_ns = 1'000'000'000;
    facts.threads = 1;
    facts.occupied = known(600'000'000);
    facts.stolen = known(100'000'000, 1'000);
    facts.ticks = TickSample{300'000'000, 100'000'000, 4'000'000, "ticks"};
    facts.waiting = known(150'000'000);
    facts.blocked = known(50'000'000);
    facts.paging = known(20'000'000);
    facts.sleeping = known(180'000'000);
    facts.stopped = known(0);
    return facts;
}

std::int64_t sum_of(const TimeSplit& split) {
    std::int64_t sum = split.unexplained_ns;
    for (const auto* part : {&split.user, &split.kernel, &split.stolen, &split.waiting,
                             &split.blocked, &split.paging, &split.sleeping, &split.stopped}) {
        sum += static_cast<std::int64_t>(part->ns.value_or(0));
    }
    return sum;
}

TEST(TimeBudget, StolenTimeIsTakenOutOfOccupiedTimeOnce) {
    const TimeSplit split = split_time(whole_facts());
    EXPECT_EQ(split.user.ns, 375'000'000u);    // three quarters of the ticks
    EXPECT_EQ(split.kernel.ns, 125'000'000u);  // of 500 ms that were executed
    EXPECT_EQ(split.stolen.ns, 100'000'000u);
    EXPECT_EQ(split.unexplained_ns, 0);
    EXPECT_EQ(split.unexplained_reason, "");
    EXPECT_EQ(split.error_ns, 0u);  // how occupied time divides does not touch the rest
}

TEST(TimeBudget, AMissingSourceIsUnexplainedAndNamed) {
    TimeFacts facts = whole_facts();
    facts.sleeping = missing("kernel.sched_schedstats is 0");
    facts.blocked = missing("kernel.task_delayacct is 0");
    const TimeSplit split = split_time(facts);
    EXPECT_EQ(split.unexplained_ns, 230'000'000);
    EXPECT_THAT(split.unexplained_reason, HasSubstr("kernel.sched_schedstats"));
    EXPECT_THAT(split.unexplained_reason, HasSubstr("kernel.task_delayacct"));
}

TEST(TimeBudget, OneReasonIsSaidOnce) {
    TimeFacts facts = whole_facts();
    facts.sleeping = facts.blocked = missing("switched off");
    EXPECT_EQ(split_time(facts).unexplained_reason, "switched off");
}

TEST(TimeBudget, UnknownStealStaysInUserAndKernelAndIsSaid) {
    TimeFacts facts = whole_facts();
    facts.stolen = missing("no permission");
    const TimeSplit split = split_time(facts);
    EXPECT_FALSE(split.stolen.ns);
    EXPECT_EQ(*split.user.ns + *split.kernel.ns, 600'000'000u);
    EXPECT_EQ(split.unexplained_ns, 0);
    EXPECT_THAT(split.user.reason, HasSubstr("stolen is in it"));
}

TEST(TimeBudget, NoMoreIsStolenThanWasOccupied) {
    TimeFacts facts = whole_facts();
    facts.stolen = known(700'000'000);
    const TimeSplit split = split_time(facts);
    EXPECT_EQ(split.stolen.ns, 600'000'000u);
    EXPECT_EQ(split.user.ns, 0u);
    EXPECT_EQ(split.kernel.ns, 0u);
}

TEST(TimeBudget, WithoutTicksAllIsUserAndAllIsInDoubt) {
    TimeFacts facts = whole_facts();
    facts.ticks = TickSample{0, 0, 4'000'000, "ticks"};
    facts.occupied = known(2'000'000);
    facts.stolen = known(0);
    const TimeSplit split = split_time(facts);
    EXPECT_EQ(split.user.ns, 2'000'000u);
    EXPECT_EQ(split.user.error_ns, 2'000'000u);
    EXPECT_THAT(split.user.reason, HasSubstr("too short"));
}

TEST(TimeBudget, NobodyTellsUserFromKernel) {
    TimeFacts facts = whole_facts();
    facts.ticks.reset();
    const TimeSplit split = split_time(facts);
    EXPECT_FALSE(split.user.ns);
    EXPECT_EQ(split.unexplained_ns, 500'000'000);
    EXPECT_THAT(split.unexplained_reason, HasSubstr("user from kernel"));
}

TEST(TimeBudget, PageFaultsAreKernelTimeWhateverTheTicksSay) {
    TimeFacts facts = whole_facts();
    facts.ticks = TickSample{400'000'000, 0, 4'000'000, "ticks"};
    facts.details.fault_cpu = known(200'000'000);
    const TimeSplit split = split_time(facts);
    EXPECT_EQ(split.kernel.ns, 200'000'000u);
    EXPECT_EQ(split.user.ns, 300'000'000u);
}

TEST(TimeBudget, AnOverlapWithinTheErrorIsShownAsItIs) {
    TimeFacts facts = whole_facts();
    facts.waiting = known(160'000'000, 20'000'000);
    const TimeSplit split = split_time(facts);
    EXPECT_EQ(split.unexplained_ns, -10'000'000);
    EXPECT_EQ(split.error_ns, 20'000'000u);
    EXPECT_EQ(split.unexplained_reason, "");
}

TEST(TimeBudget, AContradictionIsCalledOne) {
    TimeFacts facts = whole_facts();
    facts.waiting = known(260'000'000, 1'000'000);
    const TimeSplit split = split_time(facts);
    EXPECT_EQ(split.unexplained_ns, -110'000'000);
    EXPECT_THAT(split.unexplained_reason, HasSubstr("overlap"));
}

TEST(TimeBudget, MoreTicksTellMore) {
    TimeFacts facts = whole_facts();
    const double few = static_cast<double>(split_time(facts).user.error_ns) / 500e6;
    facts.occupied = known(60'000'000'000);
    facts.lifetime_ns = 100'000'000'000;
    const double many = static_cast<double>(split_time(facts).user.error_ns) / 59.9e9;
    EXPECT_LT(many, few);
}

TEST(TimeBudget, TheSumIsTheWholeForAnyFacts) {
    std::mt19937_64 random(1);
    const auto any = [&] { return random() % 4'000'000'000'000'000; };
    const auto any_part = [&] { return random() % 4 == 0 ? missing("off") : known(any(), any()); };
    for (int round = 0; round < 10'000; ++round) {
        TimeFacts facts;
        facts.lifetime_ns = any();
        facts.occupied = any_part();
        facts.stolen = any_part();
        if (random() % 4 != 0) facts.ticks = TickSample{any(), any(), any(), "ticks"};
        facts.waiting = any_part();
        facts.blocked = any_part();
        facts.paging = any_part();
        facts.sleeping = any_part();
        facts.stopped = any_part();
        const TimeSplit split = split_time(facts);
        ASSERT_EQ(sum_of(split), static_cast<std::int64_t>(facts.lifetime_ns)) << "round " << round;
    }
}

}  // namespace
}  // namespace ringside::analysis
