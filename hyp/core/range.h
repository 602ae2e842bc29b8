// A half-open range of addresses.
#pragma once

#include <cstdint>

namespace ringside::hyp {

struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    constexpr std::uint64_t bytes() const { return end - begin; }
    constexpr bool is_empty() const { return begin >= end; }
    constexpr bool contains(std::uint64_t address) const {
        return address >= begin && address < end;
    }
    constexpr bool contains(const Range& other) const {
        return other.begin >= begin && other.end <= end && other.begin <= other.end;
    }
    constexpr bool overlaps(const Range& other) const {
        return begin < other.end && other.begin < end;
    }
};

// `bytes` from `begin` on; empty where that would leave the address space.
constexpr Range range_of(std::uint64_t begin, std::uint64_t bytes) {
    return begin + bytes < begin ? Range{} : Range{begin, begin + bytes};
}

}  // namespace ringside::hyp
