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
    // Which of them is the branch's.
    static std::uint16_t place_of(std::uint64_t address) {
        return static_cast<std::uint16_t>((address ^ address >> 12) % places);
    }
    // Whether the branch there was mispredicted; `taken` is 0 or 1.
    bool misses(std::uint16_t place, std::uint64_t taken) {
        std::uint8_t& counter = counters_[place];
        const Step& step = steps_[counter][taken];
        counter = step.next;
        return step.missed;
    }

  private:
    static constexpr std::size_t places = 4096;
    struct Step {
        std::uint8_t next;
        bool missed;
    };
    // What cannot be foreseen here could not be there, and is looked up rather than branched on.
    static constexpr Step steps_[4][2] = {
        {{0, false}, {1, true}},
        {{0, false}, {2, true}},
        {{1, true}, {3, false}},
        {{2, true}, {3, false}},
    };
    std::array<std::uint8_t, places> counters_{};
};

// Set-associative; a TLB is one whose lines are pages.
template <std::size_t Sets, std::size_t Ways, unsigned LineBits>
class CacheModel {
  public:
    CacheModel() {
        for (auto& set : sets_) set.fill(no_line);
    }
    // Whether `address` was not there; it is now.
    bool misses(std::uint64_t address) {
        const std::uint64_t line = address >> LineBits;
        auto& set = sets_[line % Sets];
        return set[0] != line && brings_to_front(set, line);
    }

  private:
    static constexpr std::uint64_t no_line = ~std::uint64_t{0};

    // The latest comes first, so that the last is the one to go.
    static bool brings_to_front(std::array<std::uint64_t, Ways>& set, std::uint64_t line) {
        std::uint64_t moved = set[0];
        set[0] = line;
#pragma GCC unroll 16
        for (std::size_t way = 1; way < Ways; ++way) {
            const std::uint64_t here = set[way];
            set[way] = moved;
            if (here == line) return false;
            moved = here;
        }
        return true;
    }

    std::array<std::array<std::uint64_t, Ways>, Sets> sets_;
};

struct MemoryModel {
    CacheModel<64, 8, 6> level_1;        // 32 KiB
    CacheModel<1024, 16, 6> level_2;     // 1 MiB
    CacheModel<16, 4, 12> translations;  // 64 pages of 4 KiB
};

}  // namespace ringside::softpmu
