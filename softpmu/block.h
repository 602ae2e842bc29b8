// A block of guest code as QEMU translates it, and how it ends: from that alone follows which block
// may come next, and what happened if another one does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

struct soft_hot_block;

namespace ringside::softpmu {

enum class Guest : std::uint8_t { x86_64, arm64 };

enum class End : std::uint8_t {
    none,      // goes on with the next instruction
    repeated,  // a string instruction with a repeat prefix: itself again, or the next
    system,    // a system call, a return from an exception: anything may come
    // Branches; is_branch() rests on their being the last.
    conditional,  // the next instruction, or the target
    direct,       // a jump or call, at the target
    indirect,     // a jump, call or return, anywhere
};
constexpr bool is_branch(End end) {
    return end >= End::conditional;
}

// How one instruction ends a block; not at all, if bytes of it are missing.
struct Ending {
    End kind = End::none;
    std::uint64_t target = 0;  // conditional, direct
};
Ending ending_of(Guest guest, std::span<const std::uint8_t> instruction, std::uint64_t address);

// x86's in, out, ins and outs.
bool is_port_access(Guest guest, std::span<const std::uint8_t> instruction);
// Of these, out and outs.
bool is_port_write(std::span<const std::uint8_t> instruction);

// No instruction begins there.
constexpr std::uint64_t nowhere = 1;

// What is asked at every block that is executed fits into one cache line.
struct alignas(64) Block {
    std::uint64_t start = 0;
    std::uint64_t last = 0;                  // where its last instruction begins
    std::uint64_t fall = nowhere;            // where it goes on without a branch, if it can
    std::uint64_t target = nowhere;          // where it branches to, if that is always the same
    const std::uint16_t* offsets = nullptr;  // of each instruction, from the start
    soft_hot_block* hot = nullptr;           // where it is counted by itself, if it is
    std::uint32_t count = 0;                 // of instructions
    std::uint16_t bytes = 0;
    std::uint16_t predicted_at = 0;  // in a branch predictor
    End end = End::none;
    bool in_kernel = false;

    // Once all the rest is known.
    void set_ending(const Ending& ending) {
        end = ending.kind;
        const bool branches = end == End::conditional || end == End::direct;
        const bool falls = end == End::none || end == End::conditional || end == End::repeated;
        fall = falls ? start + bytes : nowhere;
        target = branches ? ending.target : nowhere;
    }

    // Which of its instructions begins at `address`; `count` if none does.
    std::uint32_t index_of(std::uint64_t address) const {
        const auto offset = address - start;
        const auto* found = std::lower_bound(offsets, offsets + count, offset);
        const bool there = found != offsets + count && *found == offset;
        return there ? static_cast<std::uint32_t>(found - offsets) : count;
    }
    // Whether it was translated from the same instructions.
    bool is_same_code(const Block& other) const {
        return start == other.start && count == other.count && bytes == other.bytes &&
               end == other.end && target == other.target &&
               std::equal(offsets, offsets + count, other.offsets);
    }
};

}  // namespace ringside::softpmu
