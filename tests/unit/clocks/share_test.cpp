#include "clocks/share.h"

#include <gtest/gtest.h>

namespace ringside::clocks {
namespace {

using Answer = StealAccounting::Answer;

TEST(Share, AThreadAloneOnACpuBearsAllItsStealExactly) {
    const Charge alone = charge({1000, 1000, 300});
    EXPECT_EQ(alone.steal_ns, 300u);
    EXPECT_EQ(alone.error_ns, 0u);
}

TEST(Share, TwoHalvesBearHalfAndTheErrorSaysHowUnevenItMayHaveBeen) {
    const Charge half = charge({500, 1000, 300});
    EXPECT_EQ(half.steal_ns, 150u);
    EXPECT_EQ(half.error_ns, 150u);
}

TEST(Share, MoreStealThanTheOthersCanHaveBorneIsOurs) {
    const Charge most = charge({900, 1000, 500});
    EXPECT_EQ(most.steal_ns, 450u);
    EXPECT_EQ(most.error_ns, 50u);  // between 400, the others all stolen, and 500
}

TEST(Share, NothingIsChargedToWhoWasNotThere) {
    const Charge none = charge({0, 1000, 500});
    EXPECT_EQ(none.steal_ns, 0u);
    EXPECT_EQ(none.error_ns, 0u);
}

TEST(Share, OccupiedTimeMayExceedBusyTimeByATick) {
    const Charge more = charge({1010, 1000, 1200});
    EXPECT_EQ(more.steal_ns, 1010u);
}

TEST(Judge, NeedsMoreStealThanItsError) {
    EXPECT_EQ(judge(50, {90, 100}), Answer::undetermined);
    EXPECT_EQ(judge(0, {0, 0}), Answer::undetermined);
}

TEST(Judge, ADifferenceNearTheStealMeansItWasTakenOut) {
    EXPECT_EQ(judge(190, {200, 100}), Answer::excludes);
    EXPECT_EQ(judge(300, {200, 100}), Answer::excludes);
    EXPECT_EQ(judge(10, {200, 100}), Answer::includes);
}

}  // namespace
}  // namespace ringside::clocks
