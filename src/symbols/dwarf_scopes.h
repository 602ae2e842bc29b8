// The functions of a compilation unit and what was inlined into them, by address.
#pragma once

#include <cstdint>
#include <vector>

#include "symbols/dwarf_unit.h"

namespace ringside::symbols {

// A function, or one that was inlined into another at one place.
struct DwarfScope {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::uint64_t entry = 0;      // in .debug_info
    std::uint32_t outer = none;   // what it was inlined into
    std::uint32_t call_file = 0;  // where that calls it
    std::uint32_t call_line = 0;
};

class DwarfScopes {
  public:
    explicit DwarfScopes(DwarfUnit& unit);

    // The innermost scope at an address; its `outer` leads outwards. nullptr where no code is.
    const DwarfScope* find(std::uint64_t address) const;
    const DwarfScope* outer(const DwarfScope& scope) const {
        return scope.outer == DwarfScope::none ? nullptr : &scopes_[scope.outer];
    }

  private:
    struct Piece {
        std::uint64_t start = 0;
        std::uint64_t end = 0;
        std::uint32_t scope = 0;
        std::uint32_t level = 0;
    };
    // From here on, up to the next one, this is the innermost scope.
    struct Step {
        std::uint64_t start = 0;
        std::uint32_t scope = DwarfScope::none;
    };

    void walk(DwarfUnit& unit);
    // Reads one function; none if it has no code.
    std::uint32_t read_scope(const DwarfUnit& unit, DwarfCursor& cursor, const DwarfShape& shape,
                             std::uint64_t entry, std::uint32_t outer, std::uint32_t level);
    void flatten();

    std::vector<DwarfScope> scopes_;
    std::vector<Piece> pieces_;  // until flatten()
    std::vector<Step> steps_;    // by address
};

}  // namespace ringside::symbols
