// Event sets where it takes a machine of their own: a CPU that goes away, a host that takes
// counters. What a PMU is needed for is in the unit tests, which run in a box too.
#include <regex>

#include <gmock/gmock.h>

#include "box.h"

namespace ringside::system_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(EventSets, GoOnWhenACpuGoesAway) {
    REQUIRE_BOX("x86");
    const BoxResult result =
        run_box({"run", "x86-guest", "--put",
                 RINGSIDE_BINARY_DIR "/tests/system/unplug:/usr/bin/unplug", "--", "unplug"});
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr("counted on"));
}

// The guest's kernel says that the events ran all the time, and they read 0.
TEST(EventSets, AreStarvedWhenTheHostHoldsAllCounters) {
    REQUIRE_BOX("arm64");
    const std::string arm64 = RINGSIDE_SOURCE_DIR "/build/arm64/";
    if (!fs::exists(arm64 + "examples/count")) GTEST_SKIP() << "no arm64 build";
    const Scratch scratch;
    const std::string beside = scratch.write(
        "beside", "#!/bin/sh\nexec hold --count 7 --seconds 1000 --ready /run/ringside/ready\n");
    const BoxResult result = run_box({"run", "arm64-kvm", "--inner", "--host-put",
                                      arm64 + "workloads/pmu_hold:/usr/bin/hold", "--beside",
                                      beside, "--put", arm64 + "examples/count:/usr/bin/count",
                                      "--", "count", "instructions:u", "task-clock:u"});
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr("starved"));
    EXPECT_THAT(result.out, HasSubstr("the host has taken them"));
    EXPECT_THAT(result.out, Not(HasSubstr("dead")));
}

// Counted in instructions by the PMU itself, so that it is the same on every machine.
TEST(EventSets, CostLittleMoreThanTheirRegisters) {
    REQUIRE_BOX("arm64");
    const std::string program = RINGSIDE_SOURCE_DIR "/build/arm64/bench/register_read";
    if (!fs::exists(program)) GTEST_SKIP() << "no arm64 build";
    const BoxResult result =
        run_box({"run", "arm64-pmu", "--put", program + ":/usr/bin/register_read", "--", "sh", "-c",
                 "sysctl -q -w kernel.perf_user_access=1 && register_read"});
    ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
    const std::regex row(R"(\| read \d events \| [\d.]+ \| [\d.]+ \| ([\d.]+) \| )");
    const std::vector<std::smatch> rows{
        std::sregex_iterator(result.out.begin(), result.out.end(), row), std::sregex_iterator()};
    ASSERT_EQ(rows.size(), 2u) << result.out;
    for (const auto& ratio : rows) EXPECT_LE(std::stod(ratio[1]), 1.5) << result.out;
}

}  // namespace
}  // namespace ringside::system_test
