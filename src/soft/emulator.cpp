#include "soft/emulator.h"

#include <elf.h>

namespace ringside::soft {

using proc::Program;

const char* emulator_of(const Program& program) {
    if (!program.is_64_bit) return nullptr;
    if (program.machine == EM_X86_64) return "qemu-x86_64";
    if (program.machine == EM_AARCH64) return "qemu-aarch64";
    return nullptr;
}

std::string option_text(std::string_view text) {
    std::string quoted;
    for (const char letter : text) quoted.append(letter == ',' ? 2 : 1, letter);
    return quoted;
}

std::vector<std::string> emulated_arguments(const std::string& emulator, const std::string& plugin,
                                            const Program& program,
                                            const std::vector<std::string>& argv) {
    const bool script = program.words.size() > 1;
    const std::string& name = script || argv.empty() ? program.words.front() : argv.front();
    std::vector<std::string> words{emulator, "-plugin", plugin, "-0", name};
    words.insert(words.end(), program.words.begin(), program.words.end());
    if (!argv.empty()) words.insert(words.end(), argv.begin() + 1, argv.end());
    return words;
}

}  // namespace ringside::soft
