// Names for all places of a profile. Modules are read once, and only those that samples point to.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "profile/module_symbols.h"
#include "profile/profile.h"

namespace ringside::profile {

using FunctionId = std::uint32_t;

struct Function {
    std::string name;    // demangled, or the address in hexadecimal
    std::string module;  // "libc.so.6", "[kernel.kallsyms]", "[unknown]"
    perf::CpuMode mode = perf::CpuMode::unknown;
    bool resolved = false;
};

using LineId = std::uint32_t;

struct Naming {
    std::vector<FunctionId> of_location;  // by LocationId: the function whose code it is
    std::vector<Function> functions;
    // By LocationId, and one more: where its inlined functions begin in `inlined`, the outermost of
    // them first. Empty if they were not asked for.
    std::vector<std::uint32_t> inlined_at;
    std::vector<FunctionId> inlined;
    std::vector<LineId> line_of_location;  // into `lines`; empty if they were not asked for
    std::vector<std::string> lines;        // "qsort.c:42", or "main+0x1f" where no line is known
    std::vector<std::string> warnings;     // whose symbols are missing, and why

    // What was inlined at a place into the function whose code it is, outermost first.
    std::span<const FunctionId> inlined_in(LocationId id) const {
        if (inlined_at.empty()) return {};
        return std::span(inlined).subspan(inlined_at[id], inlined_at[id + 1] - inlined_at[id]);
    }
};

// Names places as they come. `sources` say whether inlined functions and lines are wanted: both
// take time.
class Symbolizer {
  public:
    // Both must outlive this.
    Symbolizer(const Profile& profile, const SymbolSources& sources);
    ~Symbolizer();

    // Names all places that the profile has by now.
    const Naming& update();
    Naming take();

  private:
    class Work;
    std::unique_ptr<Work> work_;
};

// All places of a profile at once.
Naming symbolize(const Profile& profile, const SymbolSources& sources = {});

}  // namespace ringside::profile
