// Durations by size, four buckets to each power of two: enough for a median that is right to a
// tenth, in a table of fixed size. Needs nothing of ours but the layout.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "abi/soft_profile.h"

namespace ringside::soft {

constexpr std::uint32_t exit_bucket(std::uint64_t ns) {
    if (ns < 4) return static_cast<std::uint32_t>(ns);
    const auto power = static_cast<std::uint32_t>(std::bit_width(ns) - 1);
    const auto quarter = static_cast<std::uint32_t>(ns >> (power - 2) & 3);
    return std::min(power * 4 + quarter - 4, SOFT_EXIT_BUCKETS - 1);
}

// Where bucket `index` begins.
constexpr std::uint64_t bucket_begin(std::uint32_t index) {
    if (index < 4) return index;
    const std::uint32_t power = (index + 4) / 4;
    return std::uint64_t{4 + (index + 4) % 4} << (power - 2);
}

// The middle of the bucket that half of them do not exceed; 0 of none.
std::uint64_t median_of(std::span<const std::uint32_t, SOFT_EXIT_BUCKETS> histogram);

}  // namespace ringside::soft
