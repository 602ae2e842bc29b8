// How QEMU is put in front of a program: by the command that starts one under the soft PMU, and by
// the plugin in QEMU, for all that the program starts. Needs nothing but the C library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proc/program.h"

namespace ringside::soft {

// "qemu-x86_64"; null if the soft PMU does not know the machine.
const char* emulator_of(const proc::Program& program);

// `text` as a value among QEMU's options, where a comma is written twice.
std::string option_text(std::string_view text);

// The arguments of a QEMU that runs `program` with the arguments `argv`, argv[0] included.
// `plugin` is the value of its -plugin option.
std::vector<std::string> emulated_arguments(const std::string& emulator, const std::string& plugin,
                                            const proc::Program& program,
                                            const std::vector<std::string>& argv);

}  // namespace ringside::soft
