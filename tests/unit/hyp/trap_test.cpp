#include "hyp/arch/trap.h"

#include <gtest/gtest.h>

#include "hyp/arch/frame.h"
#include "vpmu/registers.h"

namespace ringside::hyp {
namespace {

constexpr std::uint64_t syndrome(unsigned exception_class, std::uint64_t iss) {
    return std::uint64_t{exception_class} << 26 | 1u << 25 | iss;
}

constexpr std::uint64_t sysreg_iss(unsigned op0, unsigned op1, unsigned crn, unsigned crm,
                                   unsigned op2, unsigned rt, bool read) {
    return op0 << 20 | op2 << 17 | op1 << 14 | crn << 10 | rt << 5 | crm << 1 | unsigned{read};
}

TEST(Trap, tells_why_the_guest_was_left) {
    EXPECT_EQ(trap_kind(syndrome(0x01, 0)), TrapKind::wait);
    EXPECT_EQ(trap_kind(syndrome(0x16, 0)), TrapKind::hypercall);
    EXPECT_EQ(trap_kind(syndrome(0x17, 0)), TrapKind::firmware);
    EXPECT_EQ(trap_kind(syndrome(0x18, 0)), TrapKind::sysreg);
    EXPECT_EQ(trap_kind(syndrome(0x20, 0)), TrapKind::instruction_abort);
    EXPECT_EQ(trap_kind(syndrome(0x24, 0)), TrapKind::data_abort);
    EXPECT_EQ(trap_kind(syndrome(0x25, 0)), TrapKind::other);  // EL2's own
}

TEST(Trap, names_the_register_as_the_engine_does) {
    const auto read = decode_sysreg_access(syndrome(0x18, sysreg_iss(3, 3, 9, 13, 0, 7, true)));
    EXPECT_EQ(read.encoding, vpmu::sysreg(3, 3, 9, 13, 0));
    EXPECT_TRUE(read.is_read);
    EXPECT_EQ(read.rt, 7u);
    const auto write = decode_sysreg_access(syndrome(0x18, sysreg_iss(3, 0, 9, 14, 1, 31, false)));
    EXPECT_EQ(write.encoding, vpmu::sysreg(3, 0, 9, 14, 1));
    EXPECT_FALSE(write.is_read);
    EXPECT_EQ(write.rt, 31u);
}

TEST(Trap, knows_every_register_of_the_pmu) {
    const vpmu::PmuModel model = vpmu::arm_pmuv3(31);
    for (unsigned encoding = 0; encoding <= 0xffff; ++encoding) {
        const auto name = static_cast<std::uint16_t>(encoding);
        if (vpmu::decode_sysreg(model, name).kind == vpmu::RegisterKind::none) continue;
        EXPECT_TRUE(is_pmu_register(name)) << std::hex << encoding;
        EXPECT_FALSE(is_debug_register(name)) << std::hex << encoding;
    }
    EXPECT_FALSE(is_pmu_register(vpmu::sysreg(3, 0, 12, 11, 5)));  // ICC_SGI1R_EL1
    EXPECT_FALSE(is_pmu_register(vpmu::sysreg(3, 3, 14, 2, 1)));   // CNTP_CTL_EL0
    EXPECT_TRUE(is_debug_register(vpmu::sysreg(2, 0, 0, 2, 2)));   // MDSCR_EL1
}

TEST(Trap, decodes_an_access_to_a_device) {
    const std::uint64_t store_word = 1u << 24 | 2u << 22 | 3u << 16 | 1u << 6;
    const auto store = decode_memory_access(syndrome(0x24, store_word));
    EXPECT_TRUE(store.is_decoded && store.is_write);
    EXPECT_EQ(store.bytes, 4u);
    EXPECT_EQ(store.rt, 3u);
    const auto pair = decode_memory_access(syndrome(0x24, 0));
    EXPECT_FALSE(pair.is_decoded);
    EXPECT_TRUE(decode_memory_access(syndrome(0x24, 1u << 7)).from_table_walk);
}

TEST(Trap, decodes_every_width_and_the_zero_register) {
    for (const unsigned size : {0u, 1u, 2u, 3u}) {
        const auto load = decode_memory_access(syndrome(0x24, 1u << 24 | size << 22 | 31u << 16));
        EXPECT_EQ(load.bytes, 1u << size);
        EXPECT_EQ(load.rt, 31u);
        EXPECT_FALSE(load.is_write || load.wide || load.sign_extends);
    }
    const auto load = decode_memory_access(syndrome(0x24, 1u << 24 | 1u << 21 | 1u << 15));
    EXPECT_TRUE(load.sign_extends && load.wide);
    // Register 31 is none: stores of it are 0, loads to it go nowhere.
    Frame frame;
    frame.set(31, 7);
    EXPECT_EQ(frame.get(31), 0u);
    frame.set(30, 7);
    EXPECT_EQ(frame.get(30), 7u);
    EXPECT_EQ(frame.pc, 0u);
}

TEST(Trap, extends_what_a_load_gets) {
    MemoryAccess load{.is_decoded = true, .sign_extends = true, .wide = true, .bytes = 1};
    EXPECT_EQ(loaded_value(load, 0x1ff), ~std::uint64_t{0});
    load.wide = false;
    EXPECT_EQ(loaded_value(load, 0x80), 0xffffff80u);
    load.sign_extends = false;
    EXPECT_EQ(loaded_value(load, 0x1ff), 0xffu);
    load.sign_extends = true;
    load.bytes = 2;
    EXPECT_EQ(loaded_value(load, 0x18000), 0xffff8000u);
    load.wide = true;
    load.bytes = 4;
    EXPECT_EQ(loaded_value(load, 0x1'8000'0000), 0xffff'ffff'8000'0000u);
    EXPECT_EQ(loaded_value(load, 0x1'7fff'ffff), 0x7fff'ffffu);
    load.sign_extends = false;
    load.bytes = 8;
    EXPECT_EQ(loaded_value(load, ~std::uint64_t{0}), ~std::uint64_t{0});
}

TEST(Trap, finds_address_and_vector) {
    EXPECT_EQ(fault_address(0x80000 >> 8, 0xffff000000000123), 0x00080000u << 4 >> 4 | 0x123);
    EXPECT_EQ(fault_address(0x600000, 0x40000abc), 0x60000abcu);
    EXPECT_EQ(vector_offset(0x3c5), 0x200u);  // EL1h
    EXPECT_EQ(vector_offset(0x3c4), 0x000u);  // EL1t
    EXPECT_EQ(vector_offset(0x3c0), 0x400u);  // EL0
    EXPECT_EQ(vector_offset(0x1d0), 0x600u);  // EL0, AArch32
}

}  // namespace
}  // namespace ringside::hyp
