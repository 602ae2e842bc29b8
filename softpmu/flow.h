// From blocks to counts, on one vCPU. QEMU says when a block begins, not whether it came to its
// end. That is told by the block after it: if neither of the block's successors follows, it was
// interrupted, and the address at which it goes on later says where. Pure.
#pragma once

#include <array>

#include "softpmu/block.h"

namespace ringside::softpmu {

// What the begin of a block adds to the counts.
struct Step {
    std::int64_t instructions = 0;    // negative if more was counted before than was executed
    std::uint32_t skipped = 0;        // instructions at its front that were counted before
    const Block* branched = nullptr;  // the block whose branch is known now
    bool taken = false;
};

class Flow {
  public:
    Step enter(const Block& next) {
        const Block* before = previous_;
        previous_ = &next;
        Step step;
        step.instructions = next.count;
        if (before != nullptr) leave(*before, next, step);
        return step;
    }

    // Another thread's code comes next.
    void forget() { *this = Flow(); }

  private:
    void leave(const Block& before, const Block& next, Step& step) {
        switch (before.end) {
            case End::none:
                if (next.start != before.next) interrupted(before, next, step);
                return;
            case End::conditional:
                if (next.start == before.next || next.start == before.target) {
                    branch(before, next.start != before.next, step);
                } else {
                    interrupted(before, next, step);
                }
                return;
            case End::direct:
                if (next.start == before.target) {
                    branch(before, true, step);
                } else {
                    interrupted(before, next, step);
                }
                return;
            case End::indirect:
                // Only an exception enters the kernel this way.
                if (before.in_kernel == next.in_kernel) {
                    branch(before, true, step);
                } else {
                    interrupted(before, next, step);
                }
                return;
            case End::repeated:
                if (next.start == before.last) {
                    again(1, step);
                    step.skipped = 1;
                } else if (next.start != before.next) {
                    interrupted(before, next, step);
                }
                return;
            case End::system:
                resume(next, step);
                return;
        }
    }

    static void branch(const Block& block, bool taken, Step& step) {
        step.branched = &block;
        step.taken = taken;
    }

    static void again(std::uint32_t instructions, Step& step) { step.instructions -= instructions; }

    void interrupted(const Block& block, const Block& next, Step& step) {
        // QEMU itself leaves a block, and goes on in its middle: code that was overwritten, atomic
        // instructions that need all other vCPUs to stand still.
        const std::uint32_t index = block.index_of(next.start);
        if (index < block.count) {
            again(block.count - index, step);
            return;
        }
        for (std::size_t i = waiting_.size() - 1; i > 0; --i) waiting_[i] = waiting_[i - 1];
        waiting_[0] = &block;
    }

    void resume(const Block& next, Step& step) {
        for (std::size_t i = 0; i < waiting_.size() && waiting_[i] != nullptr; ++i) {
            if (!goes_on(*waiting_[i], next, step)) continue;
            // Those above it were left for good.
            std::size_t to = 0;
            for (++i; i < waiting_.size(); ++i) waiting_[to++] = waiting_[i];
            for (; to < waiting_.size(); ++to) waiting_[to] = nullptr;
            return;
        }
    }

    // Whether `block` goes on with `next`: behind its end, or in its middle, where it faulted. What
    // could be both, a loop's begin, is its end: interrupts are more frequent than faults there.
    static bool goes_on(const Block& block, const Block& next, Step& step) {
        const bool has_target = block.end == End::conditional || block.end == End::direct;
        if (has_target && next.start == block.target) {
            branch(block, block.target != block.next || block.end == End::direct, step);
            return true;
        }
        if (next.start == block.next && block.end != End::direct) {
            if (block.end == End::conditional) branch(block, false, step);
            return true;
        }
        const std::uint32_t index = block.index_of(next.start);
        if (index < block.count) {
            again(block.count - index, step);
            return true;
        }
        if (block.end != End::indirect || next.in_kernel != block.in_kernel) return false;
        branch(block, true, step);
        return true;
    }

    const Block* previous_ = nullptr;
    std::array<const Block*, 8> waiting_{};  // interrupted, the latest first
};

}  // namespace ringside::softpmu
