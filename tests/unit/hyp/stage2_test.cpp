#include "hyp/arch/stage2.h"

#include <memory>

#include <gtest/gtest.h>

namespace ringside::hyp {
namespace {

struct Stage2Test : testing::Test {
    static constexpr std::size_t count = 6;
    std::unique_ptr<Table[]> tables = std::make_unique<Table[]>(count);
    TablePool pool{tables.get(), count};
    Stage2 memory{pool};

    std::uint64_t physical(std::uint64_t guest) const {
        std::uint64_t found = 0;
        return memory.translate(guest, found) ? found : ~std::uint64_t{0};
    }
    static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
};

TEST_F(Stage2Test, nothing_is_mapped_at_first) {
    EXPECT_EQ(physical(0), nowhere);
    EXPECT_EQ(physical(0x40000000), nowhere);
    EXPECT_EQ(physical(0x1'0000'0000), nowhere);
}

TEST_F(Stage2Test, whole_blocks_need_one_table_below_the_root) {
    ASSERT_TRUE(memory.map(0x40000000, 0x42000000, 4 * block_bytes, MemoryKind::normal));
    EXPECT_EQ(pool.left(), count - 2);
    EXPECT_EQ(physical(0x40000000), 0x42000000u);
    EXPECT_EQ(physical(0x40345678), 0x42345678u);
    EXPECT_EQ(physical(0x407fffff), 0x427fffffu);
    EXPECT_EQ(physical(0x40800000), nowhere);
    EXPECT_EQ(physical(0x3fffffff), nowhere);
}

TEST_F(Stage2Test, what_is_no_block_is_mapped_by_pages) {
    ASSERT_TRUE(
        memory.map(0x401ff000, 0x42000000, block_bytes + 2 * page_bytes, MemoryKind::normal));
    EXPECT_EQ(physical(0x401ff123), 0x42000123u);
    EXPECT_EQ(physical(0x40200000), 0x42001000u);
    EXPECT_EQ(physical(0x40400fff), 0x42201fffu);
    EXPECT_EQ(physical(0x40401000), nowhere);
    EXPECT_EQ(physical(0x401fe000), nowhere);
}

TEST_F(Stage2Test, devices_are_mapped_around_holes) {
    // In any order, touching, overlapping, beyond the end, empty.
    const Range holes[] = {{0x600000, 0x602000}, {0x200000, 0x400000}, {0x300000, 0x401000},
                           {0x401000, 0x402000}, {0x9ff000, 0xb00000}, {}};
    ASSERT_TRUE(memory.map_devices({0, 0xa00000}, holes));
    EXPECT_EQ(physical(0x1fffff), 0x1fffffu);
    EXPECT_EQ(physical(0x200000), nowhere);
    EXPECT_EQ(physical(0x3fffff), nowhere);
    EXPECT_EQ(physical(0x401fff), nowhere);
    EXPECT_EQ(physical(0x402000), 0x402000u);
    EXPECT_EQ(physical(0x5fffff), 0x5fffffu);
    EXPECT_EQ(physical(0x600000), nowhere);
    EXPECT_EQ(physical(0x602000), 0x602000u);
    EXPECT_EQ(physical(0x9fefff), 0x9fefffu);
    EXPECT_EQ(physical(0x9ff000), nowhere);
    EXPECT_EQ(physical(0xa00000), nowhere);
}

TEST_F(Stage2Test, a_hole_may_be_all_there_is) {
    const Range holes[] = {{0, 0x200000}};
    ASSERT_TRUE(memory.map_devices({0, 0x200000}, holes));
    EXPECT_EQ(physical(0), nowhere);
    ASSERT_TRUE(memory.map_devices({0, 0x200000}, {}));
    EXPECT_EQ(physical(0), 0u);
}

TEST_F(Stage2Test, nothing_is_mapped_twice) {
    ASSERT_TRUE(memory.map(0x40000000, 0x42000000, block_bytes, MemoryKind::normal));
    EXPECT_FALSE(memory.map(0x40000000, 0x44000000, block_bytes, MemoryKind::normal));
    EXPECT_FALSE(memory.map(0x40001000, 0x44000000, page_bytes, MemoryKind::normal));
    EXPECT_EQ(physical(0x40001000), 0x42001000u);
}

TEST_F(Stage2Test, says_when_the_tables_ran_out) {
    // Each of these needs a table of pages of its own.
    ASSERT_TRUE(memory.map(0x40001000, 0x1000, page_bytes, MemoryKind::device));
    ASSERT_TRUE(memory.map(0x40201000, 0x1000, page_bytes, MemoryKind::device));
    ASSERT_TRUE(memory.map(0x40401000, 0x1000, page_bytes, MemoryKind::device));
    ASSERT_TRUE(memory.map(0x40601000, 0x1000, page_bytes, MemoryKind::device));
    EXPECT_EQ(pool.left(), 0u);
    EXPECT_FALSE(memory.map(0x40801000, 0x1000, page_bytes, MemoryKind::device));
}

TEST_F(Stage2Test, the_machine_is_named_in_vttbr) {
    EXPECT_EQ(memory.vttbr(3) >> 48, 3u);
    EXPECT_EQ(memory.vttbr(3) & 0xffff'ffff'ffff, reinterpret_cast<std::uint64_t>(tables.get()));
}

}  // namespace
}  // namespace ringside::hyp
