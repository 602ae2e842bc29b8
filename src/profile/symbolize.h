// Names for all places of a profile. Modules are read once, and only those that samples point to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "symbols/finder.h"

namespace ringside::profile {

using FunctionId = std::uint32_t;

struct Function {
    std::string name;    // demangled, or the address in hexadecimal
    std::string module;  // "libc.so.6", "[kernel.kallsyms]", "[unknown]"
    perf::CpuMode mode = perf::CpuMode::unknown;
    bool resolved = false;
};

struct Naming {
    std::vector<FunctionId> of_location;  // by LocationId
    std::vector<Function> functions;
    std::vector<std::string> warnings;  // whose symbols are missing, and why
};

struct SymbolSources {
    symbols::Finder host;
    std::string kallsyms = "/proc/kallsyms";
    std::optional<std::string> guest_kallsyms;
    bool demangle = true;
};

Naming symbolize(const Profile& profile, const SymbolSources& sources = {});

}  // namespace ringside::profile
