// A hash table from things to their places in a list that somebody else keeps: open addressing, 8
// bytes a slot, no allocation for an entry. For millions of lookups.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/large_pages.h"

namespace ringside::base {

// Mixes all bits of `value` into all bits of the result (the finalizer of splitmix64).
inline std::uint64_t mix_bits(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

class IndexTable {
  public:
    // The index for which `equal(index)` holds, or the one that `add()` returns. `hash` is mixed.
    template <typename Equal, typename Add>
    std::uint32_t find_or_add(std::uint64_t hash, const Equal& equal, const Add& add) {
        if (used_ * 2 >= slots_.size()) grow();
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t at = tag & mask;; at = (at + 1) & mask) {
            Slot& slot = slots_[at];
            if (slot.index == empty) {
                const std::uint32_t index = add();
                slot = {tag, index};
                ++used_;
                return index;
            }
            if (slot.tag == tag && equal(slot.index)) return slot.index;
        }
    }

    // Has the memory ready by the time that `hash` is looked up.
    void prefetch(std::uint64_t hash) const {
        if (slots_.empty()) return;
        __builtin_prefetch(&slots_[(hash >> 32) & (slots_.size() - 1)]);
    }

  private:
    static constexpr std::uint32_t empty = ~std::uint32_t{0};
    struct Slot {
        std::uint32_t tag = 0;  // the upper half of the hash; its low bits choose the slot
        std::uint32_t index = empty;
    };

    void grow() {
        LargeVector<Slot> old(slots_.empty() ? 1024 : 2 * slots_.size());
        old.swap(slots_);
        const std::size_t mask = slots_.size() - 1;
        for (const Slot& slot : old) {
            if (slot.index == empty) continue;
            std::size_t at = slot.tag & mask;
            while (slots_[at].index != empty) at = (at + 1) & mask;
            slots_[at] = slot;
        }
    }

    LargeVector<Slot> slots_;
    std::size_t used_ = 0;
};

}  // namespace ringside::base
