#include "softpmu/flow.h"

#include <gtest/gtest.h>

namespace ringside::softpmu {
namespace {

// Instructions of four bytes each.
constexpr std::uint16_t multiples_of_four[] = {0, 4, 8, 12, 16, 20, 24, 28, 32, 36};
Block make(std::uint64_t start, std::uint32_t count, End end, std::uint64_t target = 0) {
    Block block;
    block.start = start;
    block.count = count;
    block.last = start + 4 * (count - 1);
    block.bytes = static_cast<std::uint16_t>(4 * count);
    block.offsets = multiples_of_four;
    block.set_ending({end, target});
    return block;
}

struct Counts {
    std::int64_t instructions = 0;
    int branches = 0;
    int taken = 0;

    void left(const Block& block, bool was_taken) {
        branches += is_branch(block.end);
        taken += was_taken;
    }
    void again(std::uint32_t count) { instructions -= count; }
    void repeated() {}
};

Counts run(const std::vector<const Block*>& blocks) {
    Flow flow;
    Counts counts;
    for (const Block* block : blocks) {
        counts.instructions += block->count;
        flow.enter(*block, counts);
    }
    return counts;
}

TEST(Flow, ALoopIsTakenAllButOnce) {
    const Block loop = make(0x100, 2, End::conditional, 0x100);
    const Block after = make(0x108, 1, End::system);
    const auto counts = run({&loop, &loop, &loop, &after});
    EXPECT_EQ(counts.instructions, 7);
    EXPECT_EQ(counts.branches, 3);
    EXPECT_EQ(counts.taken, 2);
}

TEST(Flow, ACallToTheNextInstructionIsTaken) {
    const Block call = make(0x100, 1, End::direct, 0x104);
    const Block after = make(0x104, 1, End::indirect);
    const auto counts = run({&call, &after, &call});
    EXPECT_EQ(counts.branches, 2);
    EXPECT_EQ(counts.taken, 2);
}

TEST(Flow, ARepeatedInstructionCountsOnce) {
    const Block begin = make(0x100, 3, End::repeated);
    const Block again = make(0x108, 1, End::repeated);
    const Block after = make(0x10c, 2, End::system);
    EXPECT_EQ(run({&begin, &again, &again, &again, &after}).instructions, 5);
    // The same one executed anew, from the front.
    EXPECT_EQ(run({&again, &again, &after}).instructions, 3);
}

TEST(Flow, AFaultingBlockIsNotCountedTwice) {
    const Block block = make(0x100, 10, End::conditional, 0x100);
    Block handler = make(0x9000, 5, End::system);
    handler.in_kernel = true;
    const Block rest = make(0x110, 6, End::conditional, 0x100);
    // It faults at its fifth instruction, and goes on there.
    const auto counts = run({&block, &handler, &rest, &block});
    EXPECT_EQ(counts.instructions, 10 + 5 + 10);
    EXPECT_EQ(counts.branches, 1);
    EXPECT_EQ(counts.taken, 1);
}

TEST(Flow, AFaultBeforeAReturnIsSeenByTheModeItEnters) {
    const Block block = make(0x100, 4, End::indirect);
    Block handler = make(0x9000, 1, End::system);
    handler.in_kernel = true;
    const Block rest = make(0x104, 3, End::indirect);
    const Block caller = make(0x50, 1, End::none);
    const auto counts = run({&block, &handler, &rest, &caller});
    EXPECT_EQ(counts.instructions, 4 + 1 + 1);
    EXPECT_EQ(counts.branches, 1);
}

TEST(Flow, AnInterruptBetweenBlocksDoesNotChangeTheCounts) {
    const Block loop = make(0x100, 2, End::conditional, 0x100);
    Block handler = make(0x9000, 5, End::system);
    handler.in_kernel = true;
    const Block after = make(0x108, 1, End::none);
    const auto taken = run({&loop, &handler, &loop, &after});
    EXPECT_EQ(taken.instructions, 2 + 5 + 2 + 1);
    EXPECT_EQ(taken.branches, 2);
    EXPECT_EQ(taken.taken, 1);
    const auto fell = run({&loop, &handler, &after});
    EXPECT_EQ(fell.instructions, 8);
    EXPECT_EQ(fell.branches, 1);
    EXPECT_EQ(fell.taken, 0);
}

TEST(Flow, InterruptsNest) {
    const Block user = make(0x100, 4, End::direct, 0x500);
    Block first = make(0x9000, 4, End::direct, 0x9100);
    first.in_kernel = true;
    Block second = make(0xa000, 2, End::system);
    second.in_kernel = true;
    Block rest = make(0x9008, 2, End::system);
    rest.in_kernel = true;
    const Block target = make(0x500, 1, End::none);
    const auto counts = run({&user, &first, &second, &rest, &target});
    EXPECT_EQ(counts.instructions, 4 + 2 + 2 + 2 + 1);
    EXPECT_EQ(counts.branches, 1);
}

TEST(Flow, QemuGoingOnInsideABlockIsNoSecondTime) {
    const Block block = make(0x100, 6, End::none);
    const Block atomic = make(0x108, 1, End::none);
    const Block rest = make(0x10c, 3, End::none);
    EXPECT_EQ(run({&block, &atomic, &rest}).instructions, 6);
}

TEST(Flow, WhatWasLeftForGoodIsForgotten) {
    std::vector<Block> blocks;
    for (std::uint64_t i = 0; i < 20; ++i) blocks.push_back(make(0x1000 * (i + 1), 2, End::none));
    std::vector<const Block*> all;
    for (const Block& block : blocks) all.push_back(&block);
    EXPECT_EQ(run(all).instructions, 40) << "each was interrupted by the next, and none goes on";
}

}  // namespace
}  // namespace ringside::softpmu
