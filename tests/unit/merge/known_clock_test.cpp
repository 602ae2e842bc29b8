#include "merge/known_clock.h"

#include <gtest/gtest.h>

namespace ringside::merge {
namespace {

// Both at 2 ticks a ns. The guest's counter is the host's minus 4000, its clock the host's minus
// 1000.
const perf::Context host_facts{{"clock_source", "tsc"},
                               {"clock_reading", "1000000 5000000 4 0"},
                               {"clock_reading", "101000000 205000000 4 1"},
                               {"kvm_tsc", "42 0 -4000 1 0"},
                               {"kvm_tsc", "42 1 -4000 1 0"}};
const perf::Context guest_facts{{"clock_reading", "11000000 25000000 6 0"},
                                {"clock_reading", "61000000 125000000 6 1"}};

TEST(KnownClock, FollowsTheCounterFromGuestToHost) {
    const auto clocks = known_clocks(host_facts, guest_facts);
    ASSERT_EQ(clocks.size(), 1u);
    const auto& clock = clocks.at(42);
    // 25,004,000 ticks on the host: 20,004,000 behind its first reading, so 10,002,000 ns.
    EXPECT_EQ(clock.map.to_host(11'000'000), 11'002'000u);
    EXPECT_EQ(clock.map.to_host(61'000'000), 61'002'000u);
    EXPECT_NEAR(clock.map.drift_ppm(), 0, 1e-6);
    EXPECT_DOUBLE_EQ(clock.uncertainty_ns, 2 + 3);
}

TEST(KnownClock, EachVcpuHasItsOwnOffset) {
    auto other = host_facts;
    other[4].value = "42 1 -4010 1 0";
    const auto clocks = known_clocks(other, guest_facts);
    ASSERT_EQ(clocks.size(), 1u);
    EXPECT_EQ(clocks.at(42).map.to_host(11'000'000), 11'002'000u);
    EXPECT_EQ(clocks.at(42).map.to_host(61'000'000), 61'002'005u);
}

TEST(KnownClock, UndoesScaling) {
    auto scaled = host_facts;
    scaled[3].value = "42 0 0 2147483648 32";  // half as fast
    scaled[4].value = "42 1 0 2147483648 32";
    const perf::Context slow{{"clock_reading", "0 12500000 1 0"},
                             {"clock_reading", "50000000 62500000 1 0"}};
    const auto clocks = known_clocks(scaled, slow);
    ASSERT_EQ(clocks.size(), 1u);
    EXPECT_EQ(clocks.at(42).map.to_host(0), 11'000'000u);
    EXPECT_NEAR(clocks.at(42).map.rate, 1, 1e-9);
}

TEST(KnownClock, NothingWithoutTheFacts) {
    EXPECT_TRUE(known_clocks({}, {}).empty());
    EXPECT_TRUE(known_clocks(host_facts, {}).empty());
    EXPECT_TRUE(known_clocks(host_facts, {guest_facts[0]}).empty()) << "one reading tells no rate";
    auto unsteady = host_facts;
    unsteady[0].value = "hpet";
    EXPECT_TRUE(known_clocks(unsteady, guest_facts).empty())
        << "KVM moves the guests' counters then";
    auto broken = host_facts;
    broken[3].value = "42 0 x 1 0";
    broken[4].value = "42";
    EXPECT_TRUE(known_clocks(broken, guest_facts).empty());
}

TEST(KnownClock, CountersThatMakeAnImpossibleClockAreNotUsed) {
    auto moved = host_facts;
    moved[4].value = "42 1 -104000 1 0";
    EXPECT_TRUE(known_clocks(moved, guest_facts).empty());
}

}  // namespace
}  // namespace ringside::merge
