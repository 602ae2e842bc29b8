#include "lab/sweep.h"

#include <gtest/gtest.h>

#include "base/embedded.h"

namespace ringside::lab {
namespace {

TEST(Sweep, BreakEvenIsWhereACostPassesThatOfLegacy) {
    const auto text = base::embedded_file("lab/conflict-mediated.toml");
    auto scenario = parse_scenario(text.value_or(""), "conflict-mediated").value();
    scenario.duration_ns = 2'000'000;
    const SweepResult result = sweep(scenario, read_costs());
    ASSERT_EQ(result.ways.size(), 4u);
    const SweptWay& legacy = result.ways[0];
    EXPECT_STREQ(legacy.name, "legacy");
    EXPECT_EQ(legacy.break_even, std::nullopt);
    bool some_break_even = false;
    for (const SweptWay& way : result.ways) {
        ASSERT_EQ(way.cost_percent.size(), swept_rates.size()) << way.name;
        some_break_even = some_break_even || way.break_even;
        for (std::size_t i = 0; i < swept_rates.size(); ++i) {
            EXPECT_EQ(way.cost_percent[i] > legacy.cost_percent[i],
                      way.break_even && swept_rates[i] >= *way.break_even)
                << way.name << " at " << swept_rates[i];
        }
    }
    EXPECT_TRUE(some_break_even) << "or the comparison above says nothing";
}

}  // namespace
}  // namespace ringside::lab
