#include "compare/judge.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "compare/join.h"
#include "sides.h"

namespace ringside::compare {
namespace {

using run::Side;
using testing::HasSubstr;
using testing::Not;

TEST(Judge, SaysWhereTheTimeWentAndHowSure) {
    const std::vector<Side> sides{
        timed("native", {{1.00, 0.90, 0.10}, {1.02, 0.91, 0.11}, {0.99, 0.89, 0.10}}),
        timed("vm", {{2.00, 1.00, 1.00}, {2.03, 1.01, 1.02}, {1.98, 0.99, 0.99}})};
    const auto joined = join(sides);
    ASSERT_TRUE(joined);
    const auto findings = judge(sides, *joined);
    ASSERT_GE(findings.size(), 3u);
    EXPECT_EQ(findings[0].cause, "time");
    EXPECT_EQ(findings[0].sure, true);
    EXPECT_THAT(findings[0].text, HasSubstr("vm takes 2 times as long as native"));
    EXPECT_EQ(findings[1].cause, "kernel");
    EXPECT_NEAR(*findings[1].share, 0.9, 0.01);
    EXPECT_THAT(findings[1].text, HasSubstr("90 % of the difference is work of the kernel"));
    EXPECT_EQ(findings[2].cause, "compute");
    EXPECT_NEAR(*findings[2].share, 0.1, 0.01);
}

TEST(Judge, ChanceIsCalledChance) {
    const std::vector<Side> sides{
        timed("native", {{1.0, 0.9, 0.1}, {1.2, 1.1, 0.1}, {0.9, 0.8, 0.1}}),
        timed("vm", {{1.1, 1.0, 0.1}, {0.9, 0.8, 0.1}, {1.2, 1.1, 0.1}})};
    const auto joined = join(sides);
    ASSERT_TRUE(joined);
    const auto findings = judge(sides, *joined);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_THAT(findings[0].text,
                HasSubstr("no difference in time between vm and native can be told from chance"));
    EXPECT_EQ(findings[0].sure, false);
}

TEST(Judge, OfOneRunNobodyCanSay) {
    const std::vector<Side> sides{timed("a", {{1, 1, 0}}), timed("b", {{2, 2, 0}})};
    const auto findings = judge(sides, *join(sides));
    ASSERT_FALSE(findings.empty());
    EXPECT_FALSE(findings[0].sure);
    EXPECT_THAT(findings[0].text, HasSubstr("cannot be said"));
}

TEST(Judge, SaysWhetherTheWorkIsTheSame) {
    std::vector<Side> sides{timed("a", {{1, 1, 0}, {1, 1, 0}}), timed("b", {{2, 2, 0}, {2, 2, 0}})};
    sides[0].runs[0].counts.push_back(count("soft:instructions", 1000000));
    sides[1].runs[0].counts.push_back(count("soft:instructions", 1000002));
    const auto texts = [&] {
        std::string all;
        for (const auto& finding : judge(sides, *join(sides))) all += finding.text + "\n";
        return all;
    };
    EXPECT_THAT(texts(), HasSubstr("b and a execute the same number of instructions "
                                   "(soft:instructions; 2 more of 1e+06)"));
    sides[1].runs[0].counts.back().value = 3000000;
    EXPECT_THAT(texts(), Not(HasSubstr("the same number")));
    EXPECT_THAT(texts(), HasSubstr("3 times the instructions (soft) (3e+06 against 1e+06; counted "
                                   "once)"));
}

TEST(Judge, SaysWhatTheHostDidForTheGuest) {
    std::vector<Side> sides{timed("native", {{1.00, 1, 0}, {1.02, 1, 0}, {0.99, 1, 0}}),
                            timed("vm", {{2.00, 2, 0}, {2.02, 2, 0}, {1.99, 2, 0}})};
    sides[1].exits = run::Exits{1200, 0.25e9, {{"npf", 200, 0.2e9}, {"msr", 1000, 0.05e9}}};
    sides[1].runs[0].counts.push_back(count(std::string(run::exits_event), 1200));
    const auto joined = join(sides);
    ASSERT_TRUE(joined);
    const auto findings = judge(sides, *joined);
    const auto found = std::find_if(findings.begin(), findings.end(),
                                    [](const Finding& each) { return each.cause == "exits"; });
    ASSERT_NE(found, findings.end());
    EXPECT_EQ(found->text,
              "vm left its guest 1200 times for 0.250 s in a run of its own: 25 % of the "
              "difference; most of it for npf 0.200 s, msr 0.050 s");
    EXPECT_NEAR(found->share.value_or(0), 0.25, 0.001);
    EXPECT_FALSE(found->sure);
    const auto row = std::find_if(joined->events.begin(), joined->events.end(),
                                  [](const Row& each) { return each.event == run::exits_event; });
    ASSERT_NE(row, joined->events.end());
    EXPECT_EQ(row->cells[0].state, CounterState::absent);
    EXPECT_EQ(row->cells[1].mean(), 1200);
}

TEST(Judge, ExitsExplainNoDifferenceThatIsNotThere) {
    std::vector<Side> sides{timed("native", {{1.0, 1, 0}, {1.2, 1, 0}, {0.9, 1, 0}}),
                            timed("vm", {{1.1, 1, 0}, {0.9, 1, 0}, {1.2, 1, 0}})};
    sides[1].exits = run::Exits{0, 0, {}};
    const auto findings = judge(sides, *join(sides));
    EXPECT_EQ(findings.back().text, "vm left its guest 0 times for 0.000 s in a run of its own");
    EXPECT_FALSE(findings.back().share);
}

}  // namespace
}  // namespace ringside::compare
