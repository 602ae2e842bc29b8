#include "softpmu/block.h"

namespace ringside::softpmu {

namespace {

using Bytes = std::span<const std::uint8_t>;

std::int64_t signed_bits(std::uint64_t value, unsigned bits) {
    const unsigned unused = 64 - bits;
    return static_cast<std::int64_t>(value << unused) >> unused;
}

// Intel SDM vol. 2, 2.1.1 and 2.2.1: legacy prefixes and REX.
bool is_prefix(std::uint8_t byte) {
    switch (byte) {
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
        case 0x64:
        case 0x65:
        case 0x66:
        case 0x67:
        case 0xf0:
        case 0xf2:
        case 0xf3:
            return true;
        default:
            return (byte & 0xf0) == 0x40;
    }
}

struct Opcode {
    Bytes bytes;  // from the opcode on; may be empty
    bool repeat = false;
};

Opcode opcode_of(Bytes instruction) {
    Opcode opcode;
    std::size_t at = 0;
    for (; at < instruction.size() && is_prefix(instruction[at]); ++at) {
        if (instruction[at] == 0xf2 || instruction[at] == 0xf3) opcode.repeat = true;
    }
    opcode.bytes = instruction.subspan(at);
    return opcode;
}

bool in_range(unsigned value, unsigned first, unsigned last) {
    return value >= first && value <= last;
}

bool is_string_instruction(std::uint8_t opcode) {
    return in_range(opcode, 0xa4, 0xa7) || in_range(opcode, 0xaa, 0xaf) ||
           in_range(opcode, 0x6c, 0x6f);
}

// ModRM with all that follows it (SDM vol. 2, 2.1.5, in 64-bit mode).
std::size_t operand_bytes(Bytes operand) {
    if (operand.empty()) return 1;
    const unsigned mode = operand[0] >> 6;
    const unsigned base = operand[0] & 7;
    if (mode == 3) return 1;
    const bool scaled = base == 4;
    const unsigned final_base = scaled && operand.size() > 1 ? operand[1] & 7 : base;
    const bool far = mode == 2 || (mode == 0 && final_base == 5);
    return (scaled ? 2u : 1u) + (far ? 4u : mode);
}

// Of an instruction that ends a block, from its opcode on.
std::size_t whole_bytes(Bytes bytes) {
    const std::uint8_t first = bytes[0];
    if (in_range(first, 0x70, 0x7f) || in_range(first, 0xe0, 0xe3)) return 2;
    switch (first) {
        case 0xe8:
        case 0xe9:
            return 5;
        case 0xc2:
        case 0xca:
            return 3;
        case 0xcd:
        case 0xeb:
            return 2;
        case 0x0f:
            return bytes.size() > 1 && in_range(bytes[1], 0x80, 0x8f) ? 6 : 2;
        case 0xff:
            return 1 + operand_bytes(bytes.subspan(1));
        default:
            return 1;
    }
}

// The displacement lies at the instruction's end and counts from there.
std::uint64_t relative_target(Bytes instruction, std::uint64_t address, unsigned bytes) {
    std::uint64_t displacement = 0;
    for (unsigned i = 0; i < bytes; ++i) {
        displacement |= std::uint64_t{instruction[instruction.size() - bytes + i]} << 8 * i;
    }
    return address + instruction.size() + signed_bits(displacement, 8 * bytes);
}

Ending two_byte_ending(Bytes instruction, std::uint64_t address, std::uint8_t second) {
    if (in_range(second, 0x80, 0x8f)) {  // jcc rel32
        return {End::conditional, relative_target(instruction, address, 4)};
    }
    // syscall, sysret, sysenter, sysexit, ud2
    if (second == 0x05 || second == 0x07 || second == 0x34 || second == 0x35 || second == 0x0b) {
        return {End::system, 0};
    }
    return {};
}

Ending x86_ending(Bytes instruction, std::uint64_t address) {
    const auto [bytes, repeat] = opcode_of(instruction);
    if (bytes.empty() || bytes.size() < whole_bytes(bytes)) return {};
    const std::uint8_t first = bytes[0];
    if (in_range(first, 0x70, 0x7f) || in_range(first, 0xe0, 0xe3)) {  // jcc, loop, jrcxz
        return {End::conditional, relative_target(instruction, address, 1)};
    }
    if (repeat && is_string_instruction(first)) return {End::repeated, 0};
    switch (first) {
        case 0xe8:  // call
        case 0xe9:  // jmp
            return {End::direct, relative_target(instruction, address, 4)};
        case 0xeb:
            return {End::direct, relative_target(instruction, address, 1)};
        case 0xc2:  // ret
        case 0xc3:
        case 0xca:
        case 0xcb:
            return {End::indirect, 0};
        case 0xcc:  // int3, int, iret, hlt
        case 0xcd:
        case 0xcf:
        case 0xf4:
            return {End::system, 0};
        case 0x0f:
            return two_byte_ending(instruction, address, bytes[1]);
        case 0xff: {
            const unsigned operation = bytes[1] >> 3 & 7;
            return {in_range(operation, 2, 5) ? End::indirect : End::none, 0};
        }
        default:
            return {};
    }
}

// Arm ARM (DDI 0487), C4.1.66: branches, exception generating and system instructions.
Ending arm64_ending(Bytes instruction, std::uint64_t address) {
    if (instruction.size() != 4) return {};
    const std::uint32_t word = std::uint32_t{instruction[0]} | std::uint32_t{instruction[1]} << 8 |
                               std::uint32_t{instruction[2]} << 16 |
                               std::uint32_t{instruction[3]} << 24;
    const auto at = [&](std::uint32_t immediate, unsigned bits) {
        return address + static_cast<std::uint64_t>(signed_bits(immediate, bits) * 4);
    };
    if ((word & 0x7c000000) == 0x14000000) return {End::direct, at(word & 0x3ffffff, 26)};
    const bool compare = (word & 0x7e000000) == 0x34000000;    // cbz, cbnz
    const bool condition = (word & 0xff000000) == 0x54000000;  // b.cond, bc.cond
    if (compare || condition) return {End::conditional, at(word >> 5 & 0x7ffff, 19)};
    if ((word & 0x7e000000) == 0x36000000) return {End::conditional, at(word >> 5 & 0x3fff, 14)};
    if ((word & 0xff000000) == 0xd4000000) return {End::system, 0};  // svc, hvc, smc, brk, hlt
    if ((word & 0xfe000000) == 0xd6000000) {                         // br, blr, ret, eret
        const bool from_exception = (word >> 21 & 0xf) == 4;
        return {from_exception ? End::system : End::indirect, 0};
    }
    return {};
}

}  // namespace

Ending ending_of(Guest guest, Bytes instruction, std::uint64_t address) {
    return guest == Guest::x86_64 ? x86_ending(instruction, address)
                                  : arm64_ending(instruction, address);
}

bool is_port_access(Guest guest, Bytes instruction) {
    if (guest != Guest::x86_64) return false;
    const Bytes bytes = opcode_of(instruction).bytes;
    if (bytes.empty()) return false;
    return in_range(bytes[0], 0xe4, 0xe7) || in_range(bytes[0], 0xec, 0xef) ||
           in_range(bytes[0], 0x6c, 0x6f);
}

bool is_port_write(Bytes instruction) {
    const Bytes bytes = opcode_of(instruction).bytes;
    return !bytes.empty() && (bytes[0] & 2) != 0;
}

}  // namespace ringside::softpmu
