// What executing a file means, worked out as the kernel would: which ELF file is run in the end,
// and with what in front of its arguments. Used by the command that starts a program under QEMU and
// by the plugin in it, which puts QEMU in front of all that the program starts. Needs nothing of
// ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringside::soft {

struct Program {
    int error = 0;  // why it cannot be executed, or 0
    // The ELF file, and before it nothing; for a script the interpreter, its argument if it has
    // one, and the script.
    std::vector<std::string> words;
    int machine = 0;  // as ELF numbers them
    bool is_64_bit = false;
    bool privileged = false;  // runs as another user or group than its caller
};

Program read_program(const std::string& path);

// "qemu-x86_64"; null if the soft PMU does not know the machine.
const char* emulator_of(const Program& program);

// `text` as a value among QEMU's options, where a comma is written twice.
std::string option_text(std::string_view text);

// The arguments of a QEMU that runs `program` with the arguments `argv`, argv[0] included.
// `plugin` is the value of its -plugin option.
std::vector<std::string> emulated_arguments(const std::string& emulator, const std::string& plugin,
                                            const Program& program,
                                            const std::vector<std::string>& argv);

}  // namespace ringside::soft
