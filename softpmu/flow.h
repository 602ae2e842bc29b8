// From blocks to what was executed, on one vCPU. QEMU says when a block begins, not whether it came
// to its end. That is told by the block after it: if neither of the block's successors follows, it
// was interrupted, and the address at which it goes on later says where. Pure.
#pragma once

#include <array>

#include "softpmu/block.h"

namespace ringside::softpmu {

class Flow {
  public:
    // A block begins. `sink` is told what is known now:
    //   left(block, taken)    `block` came to its end, and the branch there, if any, was executed
    //   again(n)              n instructions were counted that were not executed, and are now
    //   repeated()            of these, the first of the new block
    template <typename Sink>
    void enter(const Block& next, Sink& sink) {
        if (expects(next)) {
            const Block& before = go_on(next);
            sink.left(before, next.start != before.fall);
        } else {
            enter_unexpected(next, sink);
        }
    }

    // The same in two parts, for those who count the time: nearly always the next block is one that
    // may follow.
    bool expects(const Block& next) const {
        const Block& before = *previous_;
        if (next.start == before.fall || next.start == before.target) [[likely]]
            return true;
        return before.end == End::indirect && before.in_kernel == next.in_kernel;
    }
    // Returns the block before.
    const Block& go_on(const Block& next) {
        const Block& before = *previous_;
        previous_ = &next;
        return before;
    }
    template <typename Sink>
    void enter_unexpected(const Block& next, Sink& sink) {
        const Block& before = go_on(next);
        if (before.end == End::system) {
            resume(next, sink);
        } else if (before.end == End::repeated && next.start == before.last) {
            sink.again(1);
            sink.repeated();
        } else {
            interrupted(before, next, sink);
        }
    }

    // Another thread's code comes next, which nothing expects.
    void forget() { *this = Flow(); }

  private:
    template <typename Sink>
    void interrupted(const Block& block, const Block& next, Sink& sink) {
        // QEMU itself leaves a block, and goes on in its middle: code that was overwritten, atomic
        // instructions that need all other vCPUs to stand still.
        const std::uint32_t index = block.index_of(next.start);
        if (index < block.count) {
            sink.again(block.count - index);
            return;
        }
        for (std::size_t i = waiting_.size() - 1; i > 0; --i) waiting_[i] = waiting_[i - 1];
        waiting_[0] = &block;
    }

    template <typename Sink>
    void resume(const Block& next, Sink& sink) {
        for (std::size_t i = 0; i < waiting_.size() && waiting_[i] != nullptr; ++i) {
            if (!goes_on(*waiting_[i], next, sink)) continue;
            // Those above it were left for good.
            std::size_t to = 0;
            for (++i; i < waiting_.size(); ++i) waiting_[to++] = waiting_[i];
            for (; to < waiting_.size(); ++to) waiting_[to] = nullptr;
            return;
        }
    }

    // Whether `block` goes on with `next`: behind its end, or in its middle, where it faulted. What
    // could be both, a loop's begin, is its end: interrupts are more frequent than faults there.
    template <typename Sink>
    static bool goes_on(const Block& block, const Block& next, Sink& sink) {
        const std::uint32_t index = block.index_of(next.start);
        if (next.start == block.target) {
            sink.left(block, true);
        } else if (next.start == block.fall) {
            sink.left(block, false);
        } else if (index < block.count) {
            sink.again(block.count - index);
        } else if (block.end == End::indirect && next.in_kernel == block.in_kernel) {
            sink.left(block, true);
        } else {
            return false;
        }
        return true;
    }

    // Behind it anything may come.
    static inline const Block beginning_ = [] {
        Block block;
        block.end = End::system;
        return block;
    }();

    const Block* previous_ = &beginning_;
    std::array<const Block*, 8> waiting_{};  // interrupted, the latest first
};

}  // namespace ringside::softpmu
