// Tasks and mappings out of a guest's memory, which may hold anything.
#include "softpmu/tasks.h"

#include <random>

#include <gtest/gtest.h>

#include "made_kernel.h"

namespace ringside::softpmu {
namespace {

TEST(GuestMemory, EndsWhereItEnds) {
    std::vector<std::byte> bytes(0x3000);
    bytes[0x2fff] = std::byte{7};
    std::uint8_t byte = 0;
    std::uint64_t word = 0;
    const GuestMemory whole(bytes, bytes.size());
    EXPECT_TRUE(whole.read(0x2fff, byte));
    EXPECT_EQ(byte, 7);
    EXPECT_FALSE(whole.read(0x3000, byte));
    EXPECT_FALSE(whole.read(0x2ffc, word));
    EXPECT_FALSE(whole.read(~std::uint64_t{0}, byte));
    // With a hole: the last page is at 4 GiB.
    constexpr std::uint64_t high = std::uint64_t{4} << 30;
    const GuestMemory parted(bytes, 0x2000);
    EXPECT_FALSE(parted.read(0x2fff, byte));
    EXPECT_FALSE(parted.read(0x1ffc, word)) << "not across the hole";
    EXPECT_TRUE(parted.read(high + 0xfff, byte));
    EXPECT_FALSE(parted.read(high + 0x1000, byte));
    EXPECT_FALSE(whole.read(high, byte)) << "all of it lies below";
    EXPECT_FALSE(GuestMemory().read(0, byte));
    EXPECT_EQ(GuestMemory::low_bytes_of(1536u << 20), 1536u << 20);
    EXPECT_EQ(GuestMemory::low_bytes_of(high), 0x80000000u);
}

TEST(Tasks, AreFoundByTheirCpu) {
    const MadeKernel kernel;
    const auto finder = kernel.finder();
    EXPECT_TRUE(finder.is_right());
    const auto task = finder.current(1);
    ASSERT_TRUE(task);
    EXPECT_EQ(task->pid, 4700u);
    EXPECT_EQ(task->tid, 4711u);
    EXPECT_STREQ(task->comm, "worker");
    EXPECT_FALSE(finder.current(0)) << "has no area";
    EXPECT_FALSE(finder.current(~std::uint32_t{0}));
}

TEST(Tasks, AreFollowedWhereNoVariableHasThem) {
    MadeKernel kernel;
    EXPECT_EQ(kernel.finder().switch_load(), 0u);
    kernel.facts.switch_code = MadeKernel::image + MadeKernel::switch_code;
    kernel.put<std::uint32_t>(MadeKernel::switch_code, 0xa8c15113);  // ldp x19, x20, [x8], #16
    EXPECT_EQ(kernel.finder().switch_load(), 0u) << "nothing was stored before";
    EXPECT_FALSE(kernel.finder().is_right());
    kernel.make_switch_code();
    EXPECT_TRUE(kernel.finder().is_right());
    EXPECT_EQ(kernel.finder().switch_load(), MadeKernel::image + MadeKernel::switch_load);
    kernel.facts.switch_code = ~std::uint64_t{3};
    EXPECT_EQ(kernel.finder().switch_load(), 0u) << "code that is not there";
    EXPECT_EQ(kernel.finder().at(MadeKernel::direct + MadeKernel::task)->tid, 4711u);
    EXPECT_FALSE(kernel.finder().at(MadeKernel::direct + MadeKernel::memory_bytes - 8));
}

TEST(Tasks, HaveMappingsOfFiles) {
    const MadeKernel kernel;
    const auto finder = kernel.finder();
    const auto mm = finder.current(1)->mm;
    for (const auto address : {MadeKernel::code, MadeKernel::code_end - 1}) {
        const auto map = finder.mapping(mm, address);
        ASSERT_TRUE(map) << address;
        EXPECT_EQ(map->start, MadeKernel::code);
        EXPECT_EQ(map->end, MadeKernel::code_end);
        EXPECT_EQ(map->file_offset, 3u * 4096);
        EXPECT_STREQ(map->path, "/bin/tool");
    }
    EXPECT_FALSE(finder.mapping(mm, MadeKernel::code - 1));
    EXPECT_FALSE(finder.mapping(mm, MadeKernel::code_end));
    EXPECT_FALSE(finder.mapping(0, MadeKernel::code)) << "a thread of the kernel";
}

TEST(Tasks, AreNotBelievedIfTheyCannotBe) {
    MadeKernel kernel;
    kernel.put<std::uint32_t>(MadeKernel::task + 20, 1u << 30);
    EXPECT_FALSE(kernel.finder().current(1));
    MadeKernel moved;
    moved.put_text(MadeKernel::banner, "Windows");
    EXPECT_FALSE(moved.finder().is_right());
}

TEST(Tasks, HaveNamesThatCanBeShown) {
    MadeKernel kernel;
    kernel.put_text(MadeKernel::task + 32, "a\x1b[31m\xff\n");
    EXPECT_STREQ(kernel.finder().current(1)->comm, "a?[31m??");
    std::memset(kernel.memory().data() + MadeKernel::task + 32, 'x', 64);
    EXPECT_EQ(std::string(kernel.finder().current(1)->comm).size(), SOFT_COMM_BYTES - 1);
}

TEST(Tasks, DoNotFollowNamesInCircles) {
    MadeKernel circle;
    circle.name(MadeKernel::dentry + 0x1000, "bin", MadeKernel::dentry);
    EXPECT_FALSE(circle.finder().mapping(MadeKernel::direct + MadeKernel::mm, MadeKernel::code));
    MadeKernel slash;
    slash.name(MadeKernel::dentry, "../../etc/passwd", MadeKernel::dentry + 0x1000);
    EXPECT_FALSE(slash.finder().mapping(MadeKernel::direct + MadeKernel::mm, MadeKernel::code));
    MadeKernel endless;
    std::memset(endless.memory().data() + MadeKernel::dentry + 100, 'n', 0x800);
    EXPECT_FALSE(endless.finder().mapping(MadeKernel::direct + MadeKernel::mm, MadeKernel::code));
}

TEST(Tasks, DoNotFollowTreesInCircles) {
    MadeKernel kernel;
    constexpr std::uint64_t type_gaps = 3 << 3 | 4;
    kernel.put(MadeKernel::root_node + 80 + 8,
               MadeKernel::direct + MadeKernel::root_node + type_gaps);
    EXPECT_FALSE(kernel.finder().mapping(MadeKernel::direct + MadeKernel::mm, MadeKernel::code));
}

// Any memory, and any description of the kernel: nothing is read beyond, and nothing hangs.
TEST(Tasks, SurviveAnything) {
    std::minstd_rand random(1);
    for (int round = 0; round < 2000; ++round) {
        MadeKernel kernel;
        auto* facts = reinterpret_cast<std::uint8_t*>(&kernel.facts);
        for (int i = 0; i < 4; ++i) {
            kernel.memory()[random() % kernel.memory().size()] = static_cast<std::byte>(random());
            kernel.memory()[0x2000 + random() % 0xa000] = static_cast<std::byte>(random());
        }
        if (round % 2 == 0)
            facts[random() % sizeof kernel.facts] = static_cast<std::uint8_t>(random());
        const auto finder = kernel.finder();
        if (const auto task = finder.current(1)) {
            EXPECT_LT(std::strlen(task->comm), SOFT_COMM_BYTES);
            if (const auto map = finder.mapping(task->mm, MadeKernel::code)) {
                EXPECT_LT(std::strlen(map->path), SOFT_PATH_BYTES);
                EXPECT_LE(map->start, MadeKernel::code);
                EXPECT_GT(map->end, MadeKernel::code);
            }
        }
    }
}

}  // namespace
}  // namespace ringside::softpmu
