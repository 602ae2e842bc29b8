// A block of guest code as QEMU translates it, and how it ends: from that alone follows which block
// may come next, and what happened if another one does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ringside::softpmu {

enum class Guest : std::uint8_t { x86_64, arm64 };

enum class End : std::uint8_t {
    none,         // goes on with the next instruction
    conditional,  // the same, or at the target
    direct,       // a jump or call, at the target
    indirect,     // a jump, call or return, anywhere
    system,       // a system call, a return from an exception: anything may come
    repeated,     // a string instruction with a repeat prefix: itself again, or the next
};

// How one instruction ends a block.
struct Ending {
    End kind = End::none;
    std::uint64_t target = 0;  // conditional, direct
};
Ending ending_of(Guest guest, std::span<const std::uint8_t> instruction, std::uint64_t address);

// x86's in, out, ins and outs.
bool is_port_access(Guest guest, std::span<const std::uint8_t> instruction);

struct Block {
    std::uint64_t start = 0;
    std::uint64_t last = 0;  // where its last instruction begins
    std::uint64_t next = 0;  // the address behind it
    std::uint64_t target = 0;
    std::uint32_t count = 0;  // of instructions
    End end = End::none;
    bool in_kernel = false;
    std::vector<std::uint16_t> offsets;  // of each instruction, from the start

    // Which of its instructions begins at `address`; `count` if none does.
    std::uint32_t index_of(std::uint64_t address) const {
        const auto offset = address - start;
        const auto found = std::lower_bound(offsets.begin(), offsets.end(), offset);
        const bool there = found != offsets.end() && *found == offset;
        return there ? static_cast<std::uint32_t>(found - offsets.begin()) : count;
    }
    bool operator==(const Block&) const = default;
};

}  // namespace ringside::softpmu
