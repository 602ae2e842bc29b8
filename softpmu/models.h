// What a simple processor would have made of the same program: two-bit branch prediction, and
// caches of fixed sizes with least-recently-used replacement. Results are a model's and are named
// so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ringside::softpmu {

// Counters of 0 to 3, found by the branch's address; 2 and 3 predict "taken".
class BranchPredictor {
  public:
    // Whether it was mispredicted.
    bool misses(std::uint64_t address, bool taken) {
        std::uint8_t& counter = counters_[(address ^ address >> 12) % counters_.size()];
        const bool predicted = counter >= 2;
        counter = next_[counter][taken ? 1 : 0];
        return predicted != taken;
    }

  private:
    // What cannot be foreseen here could not be there, and is looked up rather than branched on.
    static constexpr std::uint8_t next_[4][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
    std::array<std::uint8_t, 4096> counters_{};
};

// Set-associative; a TLB is one whose lines are pages.
template <std::size_t Sets, std::size_t Ways, unsigned LineBits>
class CacheModel {
  public:
    // Whether `address` was not there; it is now.
    bool misses(std::uint64_t address) {
        const std::uint64_t line = (address >> LineBits) + 1;  // 0 is an empty way
        auto& set = sets_[(address >> LineBits) % Sets];
        return set[0] != line && brings_to_front(set, line);
    }

  private:
    // The latest comes first, so that the last is the one to go.
    static bool brings_to_front(std::array<std::uint64_t, Ways>& set, std::uint64_t line) {
        std::uint64_t moved = set[0];
        set[0] = line;
        for (std::size_t way = 1; way < Ways; ++way) {
            const std::uint64_t here = set[way];
            set[way] = moved;
            if (here == line) return false;
            moved = here;
        }
        return true;
    }

    std::array<std::array<std::uint64_t, Ways>, Sets> sets_{};
};

struct MemoryModel {
    CacheModel<64, 8, 6> level_1;        // 32 KiB
    CacheModel<1024, 16, 6> level_2;     // 1 MiB
    CacheModel<16, 4, 12> translations;  // 64 pages of 4 KiB
};

}  // namespace ringside::softpmu
