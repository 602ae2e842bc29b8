#include "hyp/arch/lost_overflow.h"

#include <gtest/gtest.h>

#include "lab/sim_pmu.h"

namespace ringside::hyp {
namespace {

constexpr vpmu::PmuModel whole = vpmu::arm_pmuv3(6);

TEST(LostOverflow, only_qemus_own_cpu_is_cured) {
    EXPECT_TRUE(loses_overflows(0x000f0510));
    EXPECT_FALSE(loses_overflows(0x410fd0c1));  // Neoverse N1
}

TEST(LostOverflow, half_of_the_counters_are_promised) {
    const vpmu::PmuModel left = without_spares(whole);
    EXPECT_EQ(left.general_count(), 3u);
    EXPECT_TRUE(left.has(vpmu::arm_cycle_slot));
}

TEST(LostOverflow, a_spare_follows_one_event_behind) {
    lab::SimPmu hardware(whole);
    SpareCounters<lab::SimPmu> counters(hardware, 3);
    counters.write_counter(1, 0xfffffff0);
    counters.write_selector(1, 0x08);
    counters.write_counter(vpmu::arm_cycle_slot, 7);
    EXPECT_EQ(hardware.read_counter(4), 0xffffffefu);
    EXPECT_EQ(hardware.read_selector(4), 0x08u);
    EXPECT_EQ(counters.read_counter(1), 0xfffffff0u);
    EXPECT_EQ(hardware.read_counter(3), 0u);
}

TEST(LostOverflow, spares_are_not_seen) {
    lab::SimPmu hardware(whole);
    SpareCounters<lab::SimPmu> counters(hardware, 3);
    const vpmu::Mask wanted = vpmu::bit(1) | vpmu::bit(vpmu::arm_cycle_slot);
    counters.write_enable(wanted);
    counters.write_interrupt_enable(wanted);
    EXPECT_EQ(hardware.read_enable(), wanted | vpmu::bit(4));
    EXPECT_EQ(counters.read_enable(), wanted);
    EXPECT_EQ(hardware.read_interrupt_enable(), wanted);
    hardware.set_overflow(vpmu::bit(4) | vpmu::bit(1));
    EXPECT_EQ(counters.read_overflow(), vpmu::bit(1));
    counters.clear_overflow(vpmu::bit(1));
    EXPECT_EQ(hardware.read_overflow(), 0u);
}

TEST(LostOverflow, without_spares_everything_passes) {
    lab::SimPmu hardware(whole);
    SpareCounters<lab::SimPmu> counters(hardware, 0);
    counters.write_counter(2, 9);
    counters.write_enable(0x3f);
    EXPECT_EQ(hardware.read_enable(), 0x3fu);
    EXPECT_EQ(counters.read_enable(), 0x3fu);
    EXPECT_EQ(hardware.read_counter(2), 9u);
}

}  // namespace
}  // namespace ringside::hyp
