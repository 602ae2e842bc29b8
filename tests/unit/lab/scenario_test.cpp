#include "lab/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::lab {
namespace {

std::string error_of(std::string_view text) {
    const auto scenario = parse_scenario(text, "x.toml");
    return scenario ? "" : scenario.error().what;
}

constexpr const char* machine = "\n[[vm]]\nname = \"a\"\n";

TEST(Scenario, ReadsAWholeOne) {
    const auto scenario = parse_scenario(
        "title = \"t\"\n[host]\narchitecture = \"arm64\"\ncounters = 4\ncpus = 2\n"
        "[[host.event]]\nevent = \"branches\"\npinned = true\n"
        "[[vm]]\nname = \"a\"\npolicy = \"lazy_mediated\"\nvcpus = 3\ncounts = [\"cycles\"]\n"
        "period = 1000\nrates = { cycles = 5 }\n",
        "x.toml");
    ASSERT_TRUE(scenario) << scenario.error().what;
    EXPECT_EQ(scenario->model, vpmu::arm_pmuv3(4));
    EXPECT_EQ(scenario->cpus, 2u);
    ASSERT_EQ(scenario->host.size(), 1u);
    EXPECT_TRUE(scenario->host[0].pinned);
    ASSERT_EQ(scenario->machines.size(), 1u);
    EXPECT_EQ(scenario->machines[0].policy, vpmu::Policy::lazy_mediated);
    EXPECT_EQ(scenario->machines[0].per_ms[0], 5u);
}

TEST(Scenario, ErrorsNameLineAndColumn) {
    EXPECT_THAT(error_of("title = \n"), ::testing::StartsWith("x.toml:1:"));
    EXPECT_THAT(error_of("[host]\narchitecture = \"vax\"\n"),
                ::testing::StartsWith("x.toml:2:16: architecture is intel, amd or arm64"));
    EXPECT_THAT(error_of(std::string("[host]\ncounters = 99\n") + machine),
                ::testing::StartsWith("x.toml:2:12: counters wants a number from 1 to 16"));
    EXPECT_THAT(error_of("[[vm]]\npolicy = \"x\"\n"),
                ::testing::StartsWith("x.toml:2:10: unknown policy: x"));
    EXPECT_THAT(error_of("[[vm]]\ncounts = [\"cycles\", \"luck\"]\n"),
                ::testing::StartsWith("x.toml:2:21: unknown event: luck"));
    EXPECT_THAT(error_of("[[vm]]\ncolour = 1\n"),
                ::testing::StartsWith("x.toml:2:10: unknown key: colour"));
    EXPECT_THAT(error_of("[[vm]]\nperiod = 100\n"),
                ::testing::StartsWith("x.toml:2:10: period needs an event"));
}

TEST(Scenario, ImpossibleOnesAreRefused) {
    EXPECT_THAT(error_of(""), ::testing::HasSubstr("at least one [[vm]]"));
    EXPECT_THAT(error_of("vm = 3\n"), ::testing::HasSubstr("[[vm]]"));
    EXPECT_THAT(error_of("[host]\ncounters = 1\n[[vm]]\ncounts = [\"cycles\", \"branches\"]\n"),
                ::testing::HasSubstr("counts 2 events with 1 counters"));
    EXPECT_THAT(error_of(std::string("[[host.event]]\ncounts_guests = true\n") + machine),
                ::testing::HasSubstr("excludes every policy but legacy"));
    EXPECT_THAT(error_of("[[vm]]\nvcpus = 0\n"), ::testing::HasSubstr("vcpus wants a number"));
}

}  // namespace
}  // namespace ringside::lab
