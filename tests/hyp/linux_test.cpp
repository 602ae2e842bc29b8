// Unmodified Debian Linux with its own perf as a guest: the box arm64-hyp.
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "../scratch.h"
#include "base/process.h"
#include "base/text.h"
#include "machine.h"

namespace ringside::hyp_test {
namespace {

using testing::HasSubstr;

BoxResult run_linux(const std::vector<std::string>& options, const std::string& script) {
    return run_box("arm64-hyp", options, script);
}

// Counts of user instructions of one small program, in the order of perf's -e; -1 where perf says
// that it was not counted.
std::vector<long> counts_of(const std::string& perf_stat) {
    std::vector<long> found;
    for (const auto line : base::split_lines(perf_stat)) {
        const auto fields = base::split(line, ',');
        if (fields.size() < 3) continue;
        const auto number = base::parse_u64(fields[0]);
        found.push_back(number ? static_cast<long>(*number) : -1);
    }
    return found;
}

// The same event on all counters that a guest is promised.
constexpr const char* count_true =
    "perf stat -x, -e instructions:u,instructions:u,instructions:u true 2>&1";

// What they are where nobody else wants the PMU. Deterministic, so that all that differs is a
// fault.
const std::vector<long>& alone() {
    static const auto counts = counts_of(run_linux({}, count_true).out);
    return counts;
}

void expect_exact(const BoxResult& result) {
    SCOPED_TRACE(result.out + result.err);
    ASSERT_EQ(result.exit_code, 0);
    ASSERT_EQ(alone().size(), 3u);
    EXPECT_GT(alone()[0], 10'000);
    EXPECT_THAT(alone(), testing::Each(alone()[0]));
    auto counts = counts_of(result.out);
    ASSERT_GE(counts.size(), 3u);
    counts.resize(3);
    EXPECT_EQ(counts, alone());
}

TEST(Linux, counts_are_exact_beside_pinned_host_events_and_neighbours) {
    REQUIRE_HYP();
    expect_exact(
        run_linux({"--host-events", "0x08 pinned,0x08 pinned,0x08 pinned", "--neighbour", "rowdy"},
                  count_true));
}

TEST(Linux, under_legacy_pinned_host_events_leave_silent_zeros) {
    REQUIRE_HYP();
    const BoxResult result =
        run_linux({"--policy", "legacy", "--host-events", "0x08 pinned,0x08 pinned"}, count_true);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto counts = counts_of(result.out);
    ASSERT_EQ(counts.size(), 3u) << result.out;
    EXPECT_GT(counts[0], 10'000);
    EXPECT_EQ(counts[1], 0);
    EXPECT_EQ(counts[2], 0);
}

// As exact as mediated: on Arm the counters stop at EL2 by themselves.
TEST(Linux, counts_under_cpu_switch) {
    REQUIRE_HYP();
    expect_exact(run_linux({"--policy", "cpu_switch", "--neighbour", "rowdy"}, count_true));
}

TEST(Linux, doctor_says_by_which_policy_the_pmu_is_shared) {
    REQUIRE_HYP();
    const BoxResult result = run_linux({"--policy", "lazy_mediated"},
                                       std::string(count_true) + " && ringside doctor --json");
    expect_exact(result);
    EXPECT_THAT(result.out, HasSubstr("\"hypervisor\": \"ringside\""));
    EXPECT_THAT(result.out, HasSubstr("\"pmu_policy\": \"lazy_mediated\""));
}

// A network interface whose every register is reached through the hypervisor.
TEST(Linux, counts_under_cpu_switch_and_receives_through_the_hypervisor) {
    REQUIRE_HYP();
    const std::string console = scratch::file("hyp-nic-console");
    const BoxResult result =
        run_linux({"--policy", "cpu_switch", "--nic", "rtl8139", "--trap-devices", "--device-work",
                   "100", "--console", console},
                  std::string(count_true) +
                      " && ip addr add 10.0.2.15/24 dev eth0 && ip link set eth0 up && "
                      "nc 10.0.2.100 9 </dev/null 2>/dev/null | head -c 100000 | wc -c");
    expect_exact(result);
    EXPECT_THAT(result.out, HasSubstr("\n100000\n"));
    std::ostringstream said;
    said << std::ifstream(console).rdbuf();
    EXPECT_THAT(said.str(), HasSubstr("policy=cpu_switch form=trapped state=off"));
    EXPECT_THAT(said.str(), testing::ContainsRegex("window guest=linux name=pci loads=[1-9][0-9]+ "
                                                   "stores=[1-9][0-9]+ work=100"));
}

TEST(Linux, samples_come_with_their_period) {
    REQUIRE_HYP();
    // A kernel that finds its interrupts slow leaves samples out; not here, where they are counted.
    const BoxResult result = run_linux({},
                                       "echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent; "
                                       "perf record -q -e instructions:u -c 100000 -o /tmp/p sh -c "
                                       "'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done' && "
                                       "perf stat -x, -e instructions:u sh -c "
                                       "'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done' 2>&1 && "
                                       "perf script -i /tmp/p -F event | wc -l");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto lines = base::split_lines(result.out);
    ASSERT_GE(lines.size(), 2u) << result.out;
    const long executed = counts_of(std::string(lines[0])).at(0);
    const long samples = std::stol(std::string(lines[1]));
    EXPECT_GT(executed, 1'000'000);
    EXPECT_NEAR(static_cast<double>(samples), static_cast<double>(executed) / 100'000, 1.0);
}

}  // namespace
}  // namespace ringside::hyp_test
