// The line table of a compilation unit: from an address to a file and a line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbols/dwarf_unit.h"

namespace ringside::symbols {

struct LineRow {
    static constexpr std::uint32_t no_file = ~std::uint32_t{0};

    std::uint64_t address = 0;
    std::uint32_t file = 0;  // as the unit numbers its files; no_file behind the end of a function
    std::uint32_t line = 0;  // 0: code of no line, which the compiler made up
};

class DwarfLines {
  public:
    // Runs the unit's line program. Empty if it has none or it makes no sense.
    DwarfLines(const DwarfSections& sections, const DwarfUnit& unit);

    // nullptr where the unit has no code.
    const LineRow* find(std::uint64_t address) const;
    // The path of a file, absolute where the folder is known; empty if there is no such file.
    std::string file(std::uint64_t number) const;
    const std::vector<LineRow>& rows() const { return rows_; }

  private:
    struct File {
        std::string_view name;
        std::uint64_t folder = 0;
    };
    struct Program;

    bool read_head(DwarfCursor& cursor, Program& program);
    void read_old_tables(DwarfCursor& cursor);
    void read_tables(DwarfCursor& cursor);
    void run(DwarfCursor cursor, const Program& program);

    const DwarfSections& sections_;
    const DwarfUnit& unit_;
    std::vector<std::string_view> folders_;
    std::vector<File> files_;
    std::vector<LineRow> rows_;  // by address
};

}  // namespace ringside::symbols
