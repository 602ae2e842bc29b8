// Call chains from copied stacks: where a sample holds the user's registers and the top of its
// stack, frames are found with the call frame information of the programs that were mapped.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "perf/sample.h"
#include "profile/world.h"
#include "symbols/finder.h"
#include "symbols/unwind_table.h"

namespace ringside::profile {

class Unwinder {
  public:
    // Both must outlive this.
    Unwinder(const World& world, const symbols::Finder& finder) : world_(world), finder_(finder) {}

    // Appends the user's frames of a sample, innermost first; the addresses of callers are those of
    // the call, not of the return. Nothing if the sample has no copy of its stack.
    void unwind(const perf::FullSample& sample, ImageId image, std::uint64_t time_ns,
                std::vector<std::uint64_t>& frames);

  private:
    struct Program {
        std::optional<symbols::MappedFile> file;
        std::vector<symbols::ElfSegment> segments;
        std::optional<symbols::UnwindTable> table;
    };

    Program& program(ModuleId id);
    const symbols::UnwindRow* row_at(ImageId image, std::uint64_t address, std::uint64_t time_ns);

    const World& world_;
    const symbols::Finder& finder_;
    std::unordered_map<ModuleId, Program> programs_;
};

}  // namespace ringside::profile
