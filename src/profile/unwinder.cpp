#include "profile/unwinder.h"

#include <cstring>

namespace ringside::profile {

namespace {

using symbols::RegisterSet;

constexpr std::size_t most_frames = 127;  // as many as the kernel collects by frame pointers

// DWARF's numbers of the registers that every step needs.
struct Machine {
    std::size_t frame_pointer = 0;
    std::size_t stack_pointer = 0;
    std::size_t program_counter = 0;
};
constexpr Machine x86_64{6, 7, 16};
constexpr Machine arm64{29, 31, 32};

// perf's numbers of x86-64 registers (asm/perf_regs.h) as DWARF's. arm64 has the same in both.
constexpr std::array<std::uint8_t, 24> x86_64_numbers{0,  3,    2,    1,    4,    5,    6,    7,
                                                      16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                                      8,  9,    10,   11,   12,   13,   14,   15};
constexpr unsigned x86_64_highest = 23;

bool is_arm64(std::uint64_t mask) {
    constexpr std::uint64_t program_counter_bit = std::uint64_t{1} << 32;
    return (mask & program_counter_bit) != 0;
}

RegisterSet registers_of(const perf::FullSample& sample) {
    RegisterSet registers;
    const bool same_numbers = is_arm64(sample.user_regs_mask);
    std::size_t index = 0;
    for (unsigned bit = 0; bit < 64 && index < sample.user_regs.size(); ++bit) {
        if ((sample.user_regs_mask >> bit & 1) == 0) continue;
        const std::uint64_t value = sample.user_regs[index++];
        if (!same_numbers && bit > x86_64_highest) continue;
        const std::size_t number = same_numbers ? bit : x86_64_numbers[bit];
        if (number < symbols::unwind_registers) registers.set(number, value);
    }
    return registers;
}

// The copy of the stack that the sample holds, in the sample's byte order: our own machine's, since
// files of the other order hold machines we do not unwind.
std::optional<std::uint64_t> read_stack(std::span<const std::byte> stack, std::uint64_t base,
                                        std::uint64_t address) {
    const std::uint64_t offset = address - base;
    std::uint64_t word = 0;
    if (stack.size() < sizeof word || offset > stack.size() - sizeof word) return std::nullopt;
    std::memcpy(&word, stack.data() + offset, sizeof word);
    return word;
}

// Code without unwind information, of a JIT compiler for instance, often keeps a frame pointer: it
// must lie above the stack pointer, and not far.
std::optional<RegisterSet> step_by_frame_pointer(const RegisterSet& registers,
                                                 const Machine& machine,
                                                 const symbols::ReadMemory& read) {
    constexpr std::uint64_t furthest = 0x4000;
    const std::uint64_t frame = registers.value[machine.frame_pointer];
    const std::uint64_t stack = registers.value[machine.stack_pointer];
    if (!registers.has(machine.frame_pointer) || frame < stack || frame - stack > furthest)
        return std::nullopt;
    const auto caller_frame = read(frame);
    const auto address = read(frame + sizeof(std::uint64_t));
    if (!caller_frame || !address) return std::nullopt;
    RegisterSet caller = registers;
    caller.set(machine.frame_pointer, *caller_frame);
    caller.set(machine.stack_pointer, frame + 2 * sizeof(std::uint64_t));
    caller.set(machine.program_counter, *address);
    return caller;
}

}  // namespace

Unwinder::Program& Unwinder::program(ModuleId id) {
    const auto [slot, added] = programs_.try_emplace(id);
    Program& program = slot->second;
    if (!added) return program;
    const Module& module = world_.module(id);
    if (module.kind != Module::Kind::file || module.machine != 0) return program;
    program.file = finder_.open({module.path, module.build_id, module.pid});
    if (!program.file) return program;
    if (const auto elf = symbols::ElfSections::parse(program.file->bytes()))
        program.segments = elf->segments();
    program.table.emplace(program.file->bytes());
    return program;
}

const symbols::UnwindRow* Unwinder::row_at(ImageId image, std::uint64_t address,
                                           std::uint64_t time_ns) {
    const auto found = world_.image(image).find(address, time_ns);
    if (!found.mapping) return nullptr;
    const Mapping& mapping = world_.mapping(*found.mapping);
    Program& owner = program(mapping.module);
    if (!owner.table) return nullptr;
    return owner.table->find(
        symbols::address_of_offset(owner.segments, address - mapping.start + mapping.file_offset));
}

void Unwinder::unwind(const perf::FullSample& sample, ImageId image, std::uint64_t time_ns,
                      std::vector<std::uint64_t>& frames) {
    constexpr std::uint64_t wide_abi = 2;
    if (sample.user_regs_abi != wide_abi || sample.user_stack.empty() ||
        sample.user_stack_order != perf::ByteOrder::same)
        return;
    const Machine& machine = is_arm64(sample.user_regs_mask) ? arm64 : x86_64;
    RegisterSet registers = registers_of(sample);
    const std::uint64_t base = registers.value[machine.stack_pointer];
    const symbols::ReadMemory read = [&](std::uint64_t address) {
        return read_stack(sample.user_stack, base, address);
    };
    std::uint64_t address = registers.value[machine.program_counter];
    for (std::size_t count = 0; count < most_frames && address != 0; ++count) {
        frames.push_back(address);
        const symbols::UnwindRow* row = row_at(image, address, time_ns);
        const auto caller = row != nullptr ? unwind_step(*row, registers, machine.stack_pointer,
                                                         machine.program_counter, read)
                                           : step_by_frame_pointer(registers, machine, read);
        if (!caller) return;
        // Stacks grow downwards: a caller's frame lies above, or this would never end.
        const bool leaf = count == 0;
        const std::uint64_t stack = registers.value[machine.stack_pointer];
        const std::uint64_t above = caller->value[machine.stack_pointer];
        if (above < stack || (above == stack && !leaf)) return;
        const bool interrupted = row != nullptr && row->signal_frame;
        registers = *caller;
        // A return address may be the first of another function, when the call was the last thing
        // its own did.
        address = registers.value[machine.program_counter];
        if (address != 0 && !interrupted) --address;
    }
}

}  // namespace ringside::profile
