// The flattened device tree (Devicetree Specification 0.4, chapter 5): how much RAM there is, and a
// copy for a guest that tells of its own memory, initrd and command line, and of us. The blob is
// input.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "hyp/core/range.h"

namespace ringside::hyp {

// The first /memory node's range; empty if there is none, or the blob is damaged.
Range find_memory(std::span<const std::uint8_t> blob);

struct GuestTree {
    Range memory;
    Range initrd;  // empty for none
    std::string_view arguments;
    std::string_view policy;  // by which its PMU is shared
    unsigned interrupt = 0;   // of its own (16 to 31), when a counter overflowed; 0: none
};

// How many bytes of `out` the guest's tree takes; 0 if the source is damaged or does not fit.
std::size_t write_guest_tree(std::span<const std::uint8_t> source, const GuestTree& tree,
                             std::span<std::uint8_t> out);

}  // namespace ringside::hyp
