// A compilation unit of .debug_info, DWARF 2 to 5: what its entries look like, and how their
// attributes are read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "symbols/dwarf_constants.h"
#include "symbols/dwarf_cursor.h"

namespace ringside::symbols {

struct DwarfSections {
    DwarfBytes info, abbrev, line, str, line_str, ranges, rnglists, addr, str_offsets;
    base::ByteOrder order = base::ByteOrder::same;

    // How many entries may still be read, of all tables and lists together. What a linker wrote is
    // read once or twice; a file in which thousands of units name one table would be read for ever.
    mutable std::uint64_t steps_left = ~std::uint64_t{0};
    // How many ranges the units may still have. Each takes two bytes at least, and no two units the
    // same.
    mutable std::uint64_t ranges_left = ~std::uint64_t{0};
    bool step() const { return steps_left > 0 && steps_left-- > 0; }
};

// The shape of an entry.
struct DwarfShape {
    struct Field {
        std::uint16_t attribute = 0;
        std::uint16_t form = 0;
        std::int64_t constant = 0;  // of form_implicit_const, which takes no room
    };
    std::uint64_t tag = 0;
    bool has_children = false;
    std::vector<Field> fields;
    std::optional<std::uint32_t> fixed_bytes;  // if all entries of this shape take as many
};
using DwarfShapes = std::unordered_map<std::uint64_t, DwarfShape>;

struct DwarfValue {
    std::uint16_t form = 0;
    std::uint64_t number = 0;
    std::string_view text;  // of form_string
};

struct AddressRange {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
};

class DwarfUnit {
  public:
    // The unit at `offset` of .debug_info, its root not yet read. nullopt when there is none.
    static std::optional<DwarfUnit> parse(const DwarfSections& sections, std::uint64_t offset);

    std::uint64_t offset() const { return offset_; }
    std::uint64_t end() const { return end_; }
    std::uint64_t first_entry() const { return first_entry_; }
    std::uint16_t version() const { return version_; }
    std::uint8_t address_bytes() const { return address_bytes_; }
    std::uint8_t offset_bytes() const { return offset_bytes_; }
    const std::vector<AddressRange>& ranges() const { return ranges_; }
    std::optional<std::uint64_t> line_program() const { return line_program_; }
    std::string_view folder() const { return folder_; }

    // Reads the root: where the unit's code lies. Its other entries' shapes stay unread.
    void read_root();
    // Shapes of all entries; read at the first call.
    const DwarfShapes& shapes();

    DwarfCursor at(std::uint64_t offset) const {
        return {sections_->info.first(static_cast<std::size_t>(end_)), offset, sections_->order};
    }
    // Reads one field, or passes over it.
    DwarfValue value(DwarfCursor& cursor, const DwarfShape::Field& field) const;
    void pass(DwarfCursor& cursor, const DwarfShape& shape) const;
    // What a value means.
    std::string_view text(const DwarfValue& value) const;
    std::optional<std::uint64_t> address(const DwarfValue& value) const;
    // Where a reference points in .debug_info; nullopt for what lies in another file.
    std::optional<std::uint64_t> reference(const DwarfValue& value) const;

    // An entry's low_pc, high_pc and ranges.
    struct Code {
        std::optional<DwarfValue> low, high, list;
    };
    // Appends at most `limit` ranges.
    void ranges_of(const Code& code, std::vector<AddressRange>& out, std::size_t limit) const;

  private:
    explicit DwarfUnit(const DwarfSections& sections) : sections_(&sections) {}

    void read_root_field(std::uint64_t attribute, const DwarfValue& value, Code& code);
    std::uint64_t indexed_address(std::uint64_t index) const;
    void append_ranges(std::uint64_t offset, std::vector<AddressRange>& out,
                       std::size_t limit) const;
    void append_rnglist(std::uint64_t offset, std::vector<AddressRange>& out,
                        std::size_t limit) const;

    const DwarfSections* sections_;
    std::uint64_t offset_ = 0;
    std::uint64_t end_ = 0;
    std::uint64_t first_entry_ = 0;
    std::uint64_t abbrev_offset_ = 0;
    std::uint16_t version_ = 0;
    std::uint8_t address_bytes_ = 8;
    std::uint8_t offset_bytes_ = 4;
    std::uint64_t base_address_ = 0;
    std::uint64_t str_offsets_base_ = 0;
    std::uint64_t addr_base_ = 0;
    std::uint64_t rnglists_base_ = 0;
    std::optional<std::uint64_t> line_program_;
    std::string_view folder_;
    std::vector<AddressRange> ranges_;
    std::unique_ptr<DwarfShapes> shapes_;
};

}  // namespace ringside::symbols
