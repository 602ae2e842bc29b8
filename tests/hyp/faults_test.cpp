// Guests that misbehave are stopped and named, and the others go on; a bad manifest is refused.
#include <gmock/gmock.h>

#include "machine.h"

namespace ringside::hyp_test {
namespace {

using testing::Contains;
using testing::ElementsAre;

TEST(Faults, a_guest_that_reaches_outside_is_stopped_and_named) {
    REQUIRE_HYP();
    const Outcome outcome = run_guests({{"outside"}, {"nowhere"}, {"hello"}}, "limit_ms 100\n");
    auto outside = outcome.record("guest", {"name=outside"});
    EXPECT_EQ(outside["state"], "stopped") << outcome.text();
    EXPECT_EQ(outside["reason"], "outside");
    EXPECT_EQ(outside["address"], "0x60000000");
    EXPECT_THAT(outcome.said("outside"), ElementsAre("reaching out"));
    auto nowhere = outcome.record("guest", {"name=nowhere"});
    EXPECT_EQ(nowhere["state"], "stopped");
    EXPECT_EQ(nowhere["address"], "0x50000000");
    EXPECT_THAT(outcome.said("hello"), ElementsAre("hello"));
    EXPECT_EQ(outcome.record("guest", {"name=hello"})["state"], "off");
    EXPECT_EQ(outcome.record("end")["reason"], "done");
}

TEST(Faults, who_never_yields_or_floods_does_not_keep_the_others_from_running) {
    REQUIRE_HYP();
    const Outcome outcome = run_guests({{"busy"}, {"flood", "policy paravirtual\n"}, {"hello"}},
                                       "slice_us 100\nlimit_ms 20\n");
    EXPECT_THAT(outcome.said("hello"), ElementsAre("hello")) << outcome.text();
    EXPECT_EQ(outcome.record("guest", {"name=hello"})["state"], "off");
    EXPECT_EQ(outcome.record("guest", {"name=busy"})["state"], "running");
    auto flood = outcome.record("guest", {"name=flood"});
    EXPECT_EQ(flood["state"], "running");
    // 20 ms in slices of 100 us for two: about a hundred each. The flood got its share, no more.
    EXPECT_GT(std::stoi(flood["slices"]), 50);
    EXPECT_LT(std::stoi(flood["slices"]), 150);
    EXPECT_EQ(outcome.record("end")["reason"], "limit");
}

// Of interrupts that are raised all the time, the hypervisor's own comes first.
TEST(Faults, a_storm_does_not_keep_the_others_from_running) {
    REQUIRE_HYP();
    for (const std::string policy :
         {"policy mediated\ndirect\n", "policy mediated\n", "policy legacy\n"}) {
        const Outcome outcome =
            run_guests({{"storm", policy}, {"hello"}}, "slice_us 100\nlimit_ms 20\n");
        EXPECT_THAT(outcome.said("hello"), ElementsAre("hello")) << policy << outcome.text();
        EXPECT_EQ(outcome.record("guest", {"name=storm"})["state"], "running");
        EXPECT_EQ(outcome.record("end")["reason"], "limit") << policy;
    }
}

TEST(Faults, the_run_ends_with_the_guest_that_leads) {
    REQUIRE_HYP();
    const Outcome outcome = run_guests({{"busy"}, {"hello", "leads\n"}}, "limit_ms 1000\n");
    EXPECT_EQ(outcome.record("end")["reason"], "done") << outcome.text();
    EXPECT_EQ(outcome.record("guest", {"name=busy"})["state"], "running");
}

TEST(Faults, a_bad_manifest_is_refused_with_line_and_reason) {
    REQUIRE_HYP();
    const Outcome too_large =
        run_manifest("guest a\nmemory 0x42000000 0x40000000\nentry 0x42000000\n");
    EXPECT_THAT(too_large.lines,
                Contains("hyp: refused line=3 reason=\"a guest does not fit the machine's "
                         "memory\""));
    EXPECT_THAT(run_manifest("guest a\npolicy fair\n").lines,
                Contains("hyp: refused line=2 reason=\"no such policy\""));
    EXPECT_THAT(run_manifest("").lines, Contains("hyp: refused line=0 reason=\"no guest\""));
}

}  // namespace
}  // namespace ringside::hyp_test
