// The few facts about an ELF file that decide what must go into an image with it: the machine it is
// for, its interpreter, the libraries it needs, and, for a kernel module, the modules. Every offset
// in the file is distrusted.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ringside/result.h>

namespace ringside::guest {

struct ElfFacts {
    int machine = 0;  // EM_X86_64, EM_AARCH64, ...
    std::string interpreter;
    std::vector<std::string> needed;
};

// nullopt when it is not ELF at all. 64-bit little-endian files only; others are `unsupported`.
Result<std::optional<ElfFacts>> read_elf(std::span<const std::byte> file);

// The names in a kernel module's "depends=", as written there.
Result<std::vector<std::string>> module_depends(std::span<const std::byte> file);

}  // namespace ringside::guest
