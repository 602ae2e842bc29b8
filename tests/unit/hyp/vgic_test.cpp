#include "hyp/core/vgic.h"

#include <gtest/gtest.h>

namespace ringside::hyp {
namespace {

constexpr unsigned pmu = 23;
constexpr unsigned timer = 27;
constexpr unsigned uart = 33;
constexpr std::uint64_t own = 0x10000;  // the redistributor's second frame
constexpr std::uint64_t pending = 1ull << 62;
constexpr std::uint64_t active = 1ull << 63;
constexpr std::uint64_t state_bits = pending | active;
constexpr std::uint64_t physical = 1ull << 61;

void switch_on(VirtualGic& gic, unsigned interrupt, std::uint8_t priority = 0xa0) {
    gic.write_distributor(0, 4, 2);
    const std::uint32_t bit = 1u << interrupt % 32;
    if (interrupt < 32) {
        gic.write_redistributor(own + 0x80, 4, 0xffffffff);
        gic.write_redistributor(own + 0x100, 4, bit);
        gic.write_redistributor(own + 0x400 + interrupt, 1, priority);
    } else {
        gic.write_distributor(0x80 + interrupt / 32 * 4, 4, 0xffffffff);
        gic.write_distributor(0x100 + interrupt / 32 * 4, 4, bit);
        gic.write_distributor(0x400 + interrupt, 1, priority);
    }
}

TEST(VirtualGic, describes_a_gicv3_with_one_cpu) {
    const VirtualGic small(false);
    const VirtualGic whole(true);
    EXPECT_EQ(small.read_distributor(0x4, 4) & 0x1f, 0u);
    EXPECT_EQ(whole.read_distributor(0x4, 4) & 0x1f, 8u);
    EXPECT_EQ(whole.read_distributor(0xffe8, 4), 0x30u);
    EXPECT_EQ(whole.read_redistributor(0xffe8, 4), 0x30u);
    EXPECT_EQ(whole.read_redistributor(0x8, 8) & 0x10, 0x10u);
    EXPECT_EQ(whole.read_distributor(0x0, 4) & 0x50, 0x50u);
    EXPECT_EQ(whole.read_distributor(0x5000, 4), 0u);
}

TEST(VirtualGic, registers_keep_what_was_written) {
    VirtualGic gic(true);
    gic.write_distributor(0x104, 4, 0xf0);
    gic.write_distributor(0x184, 4, 0x30);
    EXPECT_EQ(gic.read_distributor(0x104, 4), 0xc0u);
    EXPECT_EQ(gic.enabled(1), 0xc0u);
    gic.write_distributor(0x420, 4, 0x11223344);
    EXPECT_EQ(gic.read_distributor(0x422, 1), 0x22u);
    gic.write_distributor(0xc08, 4, 0x2);
    EXPECT_TRUE(gic.is_edge_triggered(32));
    EXPECT_EQ(gic.read_distributor(0xc08, 4), 2u);
    // The private interrupts are the redistributor's alone.
    gic.write_distributor(0x100, 4, 0xffffffff);
    EXPECT_EQ(gic.read_redistributor(own + 0x100, 4), 0u);
}

TEST(VirtualGic, a_guest_without_devices_has_no_device_interrupts) {
    VirtualGic gic(false);
    switch_on(gic, uart);
    EXPECT_EQ(gic.read_distributor(0x104, 4), 0u);
    gic.raise_physical(uart);
    EXPECT_FALSE(gic.has_deliverable());
}

TEST(VirtualGic, delivers_only_what_is_switched_on) {
    VirtualGic gic(false);
    gic.set_level(pmu, true);
    EXPECT_FALSE(gic.has_deliverable());
    switch_on(gic, pmu);
    EXPECT_TRUE(gic.has_deliverable());
    gic.write_distributor(0, 4, 0);
    EXPECT_FALSE(gic.has_deliverable());
}

TEST(VirtualGic, a_level_interrupts_until_it_falls) {
    VirtualGic gic(false);
    switch_on(gic, pmu);
    gic.set_level(pmu, true);
    ListRegisters lists;
    gic.fill(lists, 4);
    ASSERT_EQ(lists.used, 1u);
    EXPECT_EQ(lists.value[0] & 0xffffffff, pmu);
    EXPECT_EQ(lists.value[0] & state_bits, pending);
    lists.value[0] = (lists.value[0] & ~state_bits) | active;
    gic.take(lists);
    EXPECT_FALSE(gic.has_deliverable());  // it is being handled
    gic.fill(lists, 4);
    EXPECT_EQ(lists.value[0] & state_bits, state_bits);
    lists.value[0] &= ~state_bits;  // done, and nothing was done about the level
    gic.take(lists);
    EXPECT_TRUE(gic.has_deliverable());
    gic.set_level(pmu, false);
    EXPECT_FALSE(gic.has_deliverable());
    gic.fill(lists, 4);
    EXPECT_EQ(lists.used, 0u);
}

TEST(VirtualGic, an_edge_interrupts_once) {
    VirtualGic gic(false);
    switch_on(gic, 1);
    gic.send(1);
    ListRegisters lists;
    gic.fill(lists, 4);
    ASSERT_EQ(lists.used, 1u);
    lists.value[0] &= ~state_bits;
    gic.take(lists);
    EXPECT_FALSE(gic.has_deliverable());
}

TEST(VirtualGic, a_physical_interrupt_is_tied_to_the_guests) {
    VirtualGic gic(true);
    switch_on(gic, timer);
    gic.raise_physical(timer);
    ListRegisters lists;
    gic.fill(lists, 4);
    ASSERT_EQ(lists.used, 1u);
    EXPECT_EQ(lists.value[0] & physical, physical);
    EXPECT_EQ(lists.value[0] >> 32 & 0x3ff, timer);
    EXPECT_TRUE(gic.holds_physical(timer));
    lists.value[0] &= ~state_bits;
    gic.take(lists);
    EXPECT_FALSE(gic.holds_physical(timer));
}

TEST(VirtualGic, what_is_urgent_comes_first_and_the_rest_waits) {
    VirtualGic gic(false);
    for (unsigned i = 0; i < 6; ++i) {
        switch_on(gic, i, static_cast<std::uint8_t>(0xf0 - 0x10 * i));
        gic.send(i);
    }
    ListRegisters lists;
    gic.fill(lists, 4);
    EXPECT_EQ(lists.used, 4u);
    EXPECT_TRUE(lists.more_wait);
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(lists.value[i] & 0xffffffff, 5 - i);
    for (unsigned i = 0; i < 4; ++i) lists.value[i] &= ~state_bits;
    gic.take(lists);
    gic.fill(lists, 4);
    EXPECT_EQ(lists.used, 2u);
    EXPECT_FALSE(lists.more_wait);
}

TEST(VirtualGic, what_is_being_handled_keeps_its_list_register) {
    VirtualGic gic(false);
    for (unsigned i = 0; i < 2; ++i) switch_on(gic, i, static_cast<std::uint8_t>(i * 0x10));
    gic.send(1);
    ListRegisters lists;
    gic.fill(lists, 1);
    lists.value[0] = (lists.value[0] & ~state_bits) | active;
    gic.take(lists);
    gic.send(0);  // more urgent, but 1 is active
    gic.fill(lists, 1);
    EXPECT_EQ(lists.value[0] & 0xffffffff, 1u);
    EXPECT_TRUE(lists.more_wait);
}

}  // namespace
}  // namespace ringside::hyp
