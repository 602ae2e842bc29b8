// The host's own events compete for the counters as a policy says.
#include <gmock/gmock.h>

#include "machine.h"

namespace ringside::hyp_test {
namespace {

constexpr const char* pinned_everywhere =
    "host_event 0x08 pinned\nhost_event 0x08 pinned\nhost_event 0x08 pinned\n"
    "limit_ms 2000\n";

// Three pinned events leave no counter for an instruction count: it reads 0, as
// it does in KVM; unlike there, the guest can see on its page that this is no count.
TEST(HostEvents, under_legacy_they_starve_the_guest) {
    REQUIRE_HYP();
    const Outcome outcome = run_guests({{"steady", "policy legacy\n"}}, pinned_everywhere);
    ASSERT_EQ(outcome.said("steady").size(), 20u) << outcome.text();
    for (const auto& line : outcome.said("steady")) EXPECT_EQ(line, "counted 0 starved");
    auto event = outcome.record("host_event");
    EXPECT_EQ(event["state"], "active");
    EXPECT_EQ(event["scope"], "guest");
    EXPECT_GT(std::stoull(event["count"]), 20u * 200'000u);  // the guest's instructions too
}

TEST(HostEvents, under_mediated_the_guest_counts_right) {
    REQUIRE_HYP();
    const Outcome alone = run_guests({{"steady", "policy mediated\n"}}, "limit_ms 2000\n");
    const Outcome beside = run_guests({{"steady", "policy mediated\n"}}, pinned_everywhere);
    ASSERT_EQ(alone.said("steady").size(), 20u) << alone.text();
    EXPECT_EQ(beside.said("steady"), alone.said("steady")) << beside.text();
    auto event = beside.record("host_event");
    EXPECT_EQ(event["scope"], "host");
    EXPECT_GT(std::stoull(event["count"]), 0u);  // EL2's own work
    EXPECT_LT(std::stoull(event["count"]), 20u * 200'000u);
}

// Sampling from outside: the host learns where the guest was.
TEST(HostEvents, sample_a_guest_from_outside) {
    REQUIRE_HYP();
    const Outcome outcome = run_guests({{"steady", "policy legacy\n"}},
                                       "host_event 0x08 guest_only period 100000\nlimit_ms 2000\n");
    auto event = outcome.record("host_event");
    // 20 rounds of 200000 instructions, and a little around them.
    EXPECT_GE(std::stoull(event["overflows"]), 40u) << outcome.text();
    EXPECT_LE(std::stoull(event["overflows"]), 42u);
    auto sample = outcome.record("host_sample");
    EXPECT_EQ(sample["guest"], "steady");
    EXPECT_EQ(sample["pc"].substr(0, 5), "0x402");
}

}  // namespace
}  // namespace ringside::hyp_test
