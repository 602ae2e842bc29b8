// A neighbour that programs every counter and wraps them constantly changes a guest's counts by
// exactly 0, and finds nothing of it in any register.
#include <gmock/gmock.h>

#include "machine.h"

namespace ringside::hyp_test {
namespace {

using testing::ElementsAre;

class Isolation : public testing::TestWithParam<const char*> {
  protected:
    static std::string statements() { return "policy " + std::string(GetParam()) + "\n"; }
};

TEST_P(Isolation, a_neighbour_changes_nothing) {
    REQUIRE_HYP();
    const Outcome alone = run_guests({{"steady", statements()}}, "limit_ms 2000\n");
    const Outcome beside =
        run_guests({{"rowdy", statements()}, {"steady", statements() + "leads\n"}},
                   "slice_us 100\nlimit_ms 2000\n");
    ASSERT_EQ(alone.said("steady").size(), 20u) << alone.text();
    EXPECT_EQ(beside.said("steady"), alone.said("steady")) << beside.text();
    auto steady = beside.record("guest", {"name=steady"});
    EXPECT_EQ(steady["state"], "off");
    // It was interrupted by the other one in the middle of what it counted.
    EXPECT_GT(std::stoi(steady["slices"]), 20) << beside.text();
    EXPECT_GT(std::stoi(beside.record("guest", {"name=rowdy"})["pmi"]), 20);
}

TEST_P(Isolation, nothing_of_a_guest_can_be_read_by_another) {
    REQUIRE_HYP();
    const Outcome outcome =
        run_guests({{"rowdy", statements()}, {"curious", statements() + "leads\n"}},
                   "slice_us 50\nlimit_ms 2000\n");
    EXPECT_THAT(outcome.said("curious"), ElementsAre("leaks 0")) << outcome.text();
    EXPECT_GT(std::stoi(outcome.record("guest", {"name=curious"})["slices"]), 100);
}

// The paravirtual policy: threads of a guest have counters of their own, whatever runs beside them.
TEST(Threads, count_their_own) {
    REQUIRE_HYP();
    const Outcome alone = run_guests({{"threads", "policy paravirtual\n"}}, "limit_ms 2000\n");
    const auto said = alone.said("threads");
    ASSERT_EQ(said.size(), 5u) << alone.text();
    EXPECT_EQ(said[1], "difference of a turn 4000");
    EXPECT_EQ(said[2], "read by itself right");
    EXPECT_EQ(said[3], "refused");
    EXPECT_EQ(said[4], "exceptions 1");  // there are no PMU registers under this policy
    EXPECT_EQ(alone.record("guest")["undefined"], "1");
    const Outcome beside =
        run_guests({{"rowdy", "policy mediated\n"}, {"threads", "policy paravirtual\nleads\n"}},
                   "slice_us 50\nlimit_ms 2000\n");
    EXPECT_EQ(beside.said("threads"), said) << beside.text();
}

INSTANTIATE_TEST_SUITE_P(Policies, Isolation,
                         testing::Values("legacy", "cpu_switch", "mediated", "mediated\ndirect",
                                         "lazy_mediated", "lazy_mediated\ndirect", "shared_view"),
                         [](const auto& way) {
                             std::string name = way.param;
                             for (char& c : name) c = c == '\n' ? '_' : c;
                             return name;
                         });

}  // namespace
}  // namespace ringside::hyp_test
