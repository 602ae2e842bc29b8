// The kernel's own list of its functions, /proc/kallsyms or a copy of it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "symbols/symbol_table.h"

namespace ringside::symbols {

struct KernelSymbols {
    SymbolTable functions;  // of the kernel and all its modules; they share one address space
    bool hidden = false;    // every address is 0: kernel.kptr_restrict
};

// Total: lines that make no sense are left out.
KernelSymbols parse_kallsyms(std::string_view text);

}  // namespace ringside::symbols
