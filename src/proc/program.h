// What executing a file means, worked out as the kernel would: which ELF file is run in the end,
// with what in front of its arguments, and as whom. Needs nothing but the C library: the soft PMU's
// plugin has it compiled in.
#pragma once

#include <string>
#include <vector>

namespace ringside::proc {

struct Program {
    int error = 0;  // why it cannot be executed, or 0
    // The ELF file, and before it nothing; for a script the interpreter, its argument if it has
    // one, and the script.
    std::vector<std::string> words;
    int machine = 0;  // as ELF numbers them
    bool is_64_bit = false;
    bool privileged = false;  // runs as another user or group than its caller (set-user-ID)
};

Program read_program(const std::string& path);

}  // namespace ringside::proc
