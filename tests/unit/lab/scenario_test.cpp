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
        "title = \"t\"\nduration_ms = 3\nslice_us = 500\n"
        "[host]\narchitecture = \"arm64\"\ncounters = 4\ncpus = 2\nhosts = 3\nmigrate_every_ms = "
        "1\n"
        "[[host.event]]\nevent = \"branches\"\npinned = true\n"
        "[[vm]]\nname = \"a\"\ncount = 6\npolicy = \"lazy_mediated\"\nvcpus = 3\n"
        "tool = \"record\"\ncounts = [\"cycles\", [\"branches\", \"instructions\"]]\nperiod = "
        "1000\n"
        "[[vm.thread]]\nname = \"x\"\nrates = { cycles = 5 }\n"
        "[[vm.thread]]\nname = \"y\"\n"
        "[[vm.thread.phase]]\nname = \"f\"\nns = 300\nexits = 2\nkernel = true\n",
        "x.toml");
    ASSERT_TRUE(scenario) << scenario.error().what;
    EXPECT_EQ(scenario->model, vpmu::arm_pmuv3(4));
    EXPECT_EQ(scenario->cpus, 2u);
    EXPECT_EQ(scenario->hosts, 3u);
    EXPECT_EQ(scenario->migrate_every_slices, 2u);
    ASSERT_EQ(scenario->host.size(), 1u);
    EXPECT_TRUE(scenario->host[0].pinned);
    ASSERT_EQ(scenario->machines.size(), 1u);
    const MachinePlan& read = scenario->machines[0];
    EXPECT_EQ(read.policy, vpmu::Policy::lazy_mediated);
    EXPECT_EQ(read.count, 6u);
    EXPECT_EQ(read.profile.tool, GuestTool::record);
    ASSERT_EQ(read.profile.groups.size(), 2u);
    EXPECT_EQ(read.profile.groups[1][0], EventName::branches);
    ASSERT_EQ(read.threads.size(), 2u);
    EXPECT_EQ(read.threads[0].phases[0].per_ms[0], 5u);
    EXPECT_EQ(read.threads[0].phases[0].ns, 0u);
    EXPECT_EQ(read.threads[1].phases[0].exits, 2u);
    EXPECT_TRUE(read.threads[1].phases[0].kernel);
}

TEST(Scenario, ErrorsNameLineAndColumn) {
    const struct {
        const char* text;
        const char* error;
    } cases[] = {
        {"title = \n", "x.toml:1:"},
        {"[host\n", "x.toml:1:6: "},
        {"title = 3\n", "x.toml:1:9: title must be a string"},
        {"[host]\narchitecture = \"vax\"\n",
         "x.toml:2:16: architecture is one of amd, intel, arm64, not vax"},
        {"[host]\ncounters = 99\n", "x.toml:2:12: counters must be a number from 1 to 16"},
        {"[host]\nfixed = 3\n", "x.toml:2:9: only Intel"},
        {"[[host.event]]\nevent = 3\n", "x.toml:2:9: unknown event"},
        {"[[vm]]\npolicy = \"x\"\n", "x.toml:2:10: unknown policy: x"},
        {"[[vm]]\ncounts = [\"cycles\", \"luck\"]\n", "x.toml:2:21: unknown event: luck"},
        {"[[vm]]\ncounts = 7\n", "x.toml:2:10: counts must be a list"},
        {"[[vm]]\ncounts = [[]]\n", "x.toml:2:11: an empty group"},
        {"[[vm]]\n  colour = 1\n", "x.toml:2:3: unknown key: colour"},
        {"[[vm]]\nperiod = 100\n", "x.toml:2:10: period needs an event"},
        {"[[vm]]\nrates = { luck = 1 }\n", "x.toml:2:11: unknown event: luck"},
        {"[[vm]]\nrates = 5\n", "x.toml:2:9: rates must be a table"},
        {"[[vm]]\ntool = \"top\"\n",
         "x.toml:2:8: tool is one of system_wide, stat, record, library, not top"},
        {"[[vm]]\nvcpus = 0\n", "x.toml:2:9: vcpus must be a number from 1 to 4096"},
        {"[[vm]]\nconsents = 1\n", "x.toml:2:12: consents must be true or false"},
        {"[[vm]]\nrates = { cycles = 1 }\n[[vm.thread]]\n",
         "x.toml:2:9: a machine has rates or threads, not both"},
        {"[[vm]]\n[[vm.thread]]\nrates = { cycles = 1 }\n[[vm.thread.phase]]\n",
         "x.toml:3:9: a thread has rates or phases, not both"},
        {"title = \"x\"\n\n  \xcf\xa7 = 1\n", "x.toml:3:3: only ASCII is allowed"},
        {"vm = 3\n", "x.toml:1:6: write it as [[vm]]"},
    };
    for (const auto& one : cases) {
        EXPECT_THAT(error_of(one.text), ::testing::StartsWith(one.error)) << one.text;
    }
}

TEST(Scenario, ImpossibleMachinesAreRefused) {
    EXPECT_THAT(error_of(""), ::testing::HasSubstr("at least one [[vm]]"));
    EXPECT_THAT(error_of("[host]\ncounters = 1\n[[vm]]\nname = \"a\"\n"
                         "counts = [[\"cycles\", \"branches\"]]\n"),
                ::testing::StartsWith("x.toml:3:1: a counts 2 events in a group with 1 counters"));
    EXPECT_THAT(error_of(std::string("[[host.event]]\ncounts_guests = true\n") + machine),
                ::testing::HasSubstr("excludes every policy but legacy"));
    EXPECT_THAT(error_of("[host]\narchitecture = \"intel\"\n[[vm]]\ncounts = [\"stalls_smt\"]\n"),
                ::testing::HasSubstr("vm counts stalls_smt, which Intel does not have"));
    EXPECT_THAT(error_of(std::string("[host]\narchitecture = \"intel\"\n[[host.event]]\n"
                                     "event = \"stalls_smt\"\n") +
                         machine),
                ::testing::HasSubstr("the host counts stalls_smt, which Intel does not have"));
    EXPECT_THAT(error_of("[[vm]]\ncount = 1000000\n"),
                ::testing::HasSubstr("1000000 vCPUs on a host, more than 65536"));
    EXPECT_THAT(error_of("[[vm]]\ncounters = 31\npolicy = \"legacy\"\n"),
                ::testing::HasSubstr("there is no such PMU with 31 counters"));
    EXPECT_THAT(error_of("[[vm]]\npolicy = \"paravirtual\"\ncounters = 1\n"
                         "counts = [\"cycles\", \"branches\"]\n"),
                ::testing::HasSubstr("counts 2 events at once with 1 counters"));
}

TEST(Scenario, APromiseTheHostCannotKeepIsRefusedUnlessLegacyMayStarve) {
    const auto promising = [](const char* policy) {
        return std::string(
                   "[host]\ncounters = 4\n[[vm]]\nname = \"a\"\ncounters = 6\npolicy = \"") +
               policy + "\"\n";
    };
    EXPECT_THAT(
        error_of(promising("mediated")),
        ::testing::HasSubstr("a cannot run here under mediated: the host has fewer counters "
                             "than the guest"));
    EXPECT_EQ(error_of(promising("legacy")), "");

    auto scenario = parse_scenario(promising("legacy"), "x.toml");
    ASSERT_TRUE(scenario);
    EXPECT_FALSE(choose_policy(*scenario, "lazy_mediated"));
    EXPECT_FALSE(choose_policy(*scenario, "telepathic"));
    EXPECT_TRUE(choose_policy(*scenario, "legacy"));
}

}  // namespace
}  // namespace ringside::lab
