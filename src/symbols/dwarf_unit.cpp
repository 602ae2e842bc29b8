#include "symbols/dwarf_unit.h"

#include <algorithm>

#include "symbols/elf_sections.h"

namespace ringside::symbols {

using namespace dwarf;

namespace {

constexpr std::uint32_t wide_mark = 0xffffffff;  // a 64-bit length follows
constexpr std::size_t most_root_ranges = 1 << 20;

// The shape with number `code` at the cursor; nullopt at the end of the table.
std::optional<std::pair<std::uint64_t, DwarfShape>> read_shape(const DwarfSections& sections,
                                                               DwarfCursor& cursor) {
    const std::uint64_t code = cursor.uleb();
    if (code == 0 || !cursor.ok()) return std::nullopt;
    DwarfShape shape;
    shape.tag = cursor.uleb();
    shape.has_children = cursor.u8() != 0;
    while (cursor.ok() && sections.step()) {
        DwarfShape::Field field;
        field.attribute = static_cast<std::uint16_t>(cursor.uleb());
        field.form = static_cast<std::uint16_t>(cursor.uleb());
        if (field.form == form_implicit_const) field.constant = cursor.sleb();
        if (field.attribute == 0 && field.form == 0) return std::pair{code, std::move(shape)};
        shape.fields.push_back(field);
    }
    return std::nullopt;
}

// nullopt for forms whose size is in the entry.
std::optional<std::uint32_t> fixed_size(std::uint16_t form, const DwarfUnit& unit) {
    switch (form) {
        case form_flag_present:
        case form_implicit_const:
            return 0;
        case form_data1:
        case form_flag:
        case form_ref1:
        case form_strx1:
        case form_addrx1:
            return 1;
        case form_data2:
        case form_ref2:
        case form_strx2:
        case form_addrx2:
            return 2;
        case form_strx3:
        case form_addrx3:
            return 3;
        case form_data4:
        case form_ref4:
        case form_ref_sup4:
        case form_strx4:
        case form_addrx4:
            return 4;
        case form_data8:
        case form_ref8:
        case form_ref_sig8:
        case form_ref_sup8:
            return 8;
        case form_data16:
            return 16;
        case form_addr:
            return unit.address_bytes();
        case form_ref_addr:
            return unit.version() < 3 ? unit.address_bytes() : unit.offset_bytes();
        case form_strp:
        case form_sec_offset:
        case form_strp_sup:
        case form_line_strp:
        case form_gnu_ref_alt:
        case form_gnu_strp_alt:
            return unit.offset_bytes();
        default:
            return std::nullopt;
    }
}

std::uint64_t block_size(DwarfCursor& cursor, std::uint16_t form) {
    switch (form) {
        case form_block1:
            return cursor.u8();
        case form_block2:
            return cursor.u16();
        case form_block4:
            return cursor.u32();
        default:
            return cursor.uleb();
    }
}

}  // namespace

std::optional<DwarfUnit> DwarfUnit::parse(const DwarfSections& sections, std::uint64_t offset) {
    DwarfCursor cursor(sections.info, offset, sections.order);
    DwarfUnit unit(sections);
    unit.offset_ = offset;
    std::uint64_t length = cursor.u32();
    if (length == wide_mark) {
        length = cursor.u64();
        unit.offset_bytes_ = 8;
    }
    if (!cursor.ok() || length == 0 || length > cursor.remaining()) return std::nullopt;
    unit.end_ = cursor.offset() + length;
    unit.version_ = cursor.u16();
    std::uint8_t type = unit_compile;
    if (unit.version_ >= 5) {
        type = cursor.u8();
        unit.address_bytes_ = cursor.u8();
        unit.abbrev_offset_ = cursor.sized(unit.offset_bytes_);
    } else {
        unit.abbrev_offset_ = cursor.sized(unit.offset_bytes_);
        unit.address_bytes_ = cursor.u8();
    }
    if (type == unit_skeleton || type == unit_split_compile) cursor.u64();
    if (type == unit_type || type == unit_split_type) cursor.skip(8 + unit.offset_bytes_);
    unit.first_entry_ = cursor.offset();
    // A unit that is not understood is passed over.
    const bool known = unit.version_ >= 2 && unit.version_ <= 5 &&
                       (unit.address_bytes_ == 4 || unit.address_bytes_ == 8);
    if (!cursor.ok() || !known || unit.first_entry_ > unit.end_) unit.first_entry_ = unit.end_;
    return unit;
}

const DwarfShapes& DwarfUnit::shapes() {
    if (shapes_) return *shapes_;
    shapes_ = std::make_unique<DwarfShapes>();
    DwarfCursor cursor(sections_->abbrev, abbrev_offset_, sections_->order);
    while (auto read = read_shape(*sections_, cursor)) {
        std::uint32_t total = 0;
        bool fixed = true;
        for (const auto& field : read->second.fields) {
            const auto size = fixed_size(field.form, *this);
            fixed = fixed && size.has_value();
            total += size.value_or(0);
        }
        if (fixed) read->second.fixed_bytes = total;
        shapes_->emplace(read->first, std::move(read->second));
    }
    return *shapes_;
}

DwarfValue DwarfUnit::value(DwarfCursor& cursor, const DwarfShape::Field& field) const {
    DwarfValue value;
    value.form = field.form;
    if (value.form == form_indirect) value.form = static_cast<std::uint16_t>(cursor.uleb());
    if (value.form == form_implicit_const) {
        value.number = static_cast<std::uint64_t>(field.constant);
        return value;
    }
    if (const auto size = fixed_size(value.form, *this)) {
        if (*size == 0)
            value.number = 1;
        else if (*size == 16)
            cursor.skip(*size);
        else
            value.number = cursor.sized(*size);
        return value;
    }
    switch (value.form) {
        case form_string:
            value.text = cursor.string();
            break;
        case form_sdata:
            value.number = static_cast<std::uint64_t>(cursor.sleb());
            break;
        case form_udata:
        case form_ref_udata:
        case form_strx:
        case form_addrx:
        case form_loclistx:
        case form_rnglistx:
            value.number = cursor.uleb();
            break;
        case form_block:
        case form_block1:
        case form_block2:
        case form_block4:
        case form_exprloc:
            cursor.skip(block_size(cursor, value.form));
            break;
        default:
            cursor.skip(cursor.remaining() + 1);  // a form that is not known has no known size
    }
    return value;
}

void DwarfUnit::pass(DwarfCursor& cursor, const DwarfShape& shape) const {
    if (shape.fixed_bytes) return cursor.skip(*shape.fixed_bytes);
    for (const auto& field : shape.fields) value(cursor, field);
}

std::string_view DwarfUnit::text(const DwarfValue& value) const {
    switch (value.form) {
        case form_string:
            return value.text;
        case form_strp:
            return ElfSections::text_at(sections_->str, value.number);
        case form_line_strp:
            return ElfSections::text_at(sections_->line_str, value.number);
        case form_strx:
        case form_strx1:
        case form_strx2:
        case form_strx3:
        case form_strx4: {
            if (value.number > sections_->str_offsets.size()) return {};
            DwarfCursor cursor(sections_->str_offsets,
                               str_offsets_base_ + value.number * offset_bytes_, sections_->order);
            const std::uint64_t at = cursor.sized(offset_bytes_);
            return cursor.ok() ? ElfSections::text_at(sections_->str, at) : std::string_view{};
        }
        default:
            return {};
    }
}

std::uint64_t DwarfUnit::indexed_address(std::uint64_t index) const {
    if (index > sections_->addr.size()) return 0;
    DwarfCursor cursor(sections_->addr, addr_base_ + index * address_bytes_, sections_->order);
    return cursor.sized(address_bytes_);
}

std::optional<std::uint64_t> DwarfUnit::address(const DwarfValue& value) const {
    switch (value.form) {
        case form_addr:
            return value.number;
        case form_addrx:
        case form_addrx1:
        case form_addrx2:
        case form_addrx3:
        case form_addrx4:
            return indexed_address(value.number);
        default:
            return std::nullopt;
    }
}

std::optional<std::uint64_t> DwarfUnit::reference(const DwarfValue& value) const {
    switch (value.form) {
        case form_ref_addr:
            return value.number;
        case form_ref1:
        case form_ref2:
        case form_ref4:
        case form_ref8:
        case form_ref_udata:
            return offset_ + value.number;
        default:
            return std::nullopt;
    }
}

void DwarfUnit::read_root_field(std::uint64_t attribute, const DwarfValue& value, Code& code) {
    switch (attribute) {
        case at_low_pc:
            code.low = value;
            break;
        case at_high_pc:
            code.high = value;
            break;
        case at_ranges:
            code.list = value;
            break;
        case at_stmt_list:
            line_program_ = value.number;
            break;
        case at_str_offsets_base:
            str_offsets_base_ = value.number;
            break;
        case at_addr_base:
            addr_base_ = value.number;
            break;
        case at_rnglists_base:
            rnglists_base_ = value.number;
            break;
        default:
            break;
    }
}

void DwarfUnit::read_root() {
    DwarfCursor cursor = at(first_entry_);
    const std::uint64_t wanted = cursor.uleb();
    DwarfCursor table(sections_->abbrev, abbrev_offset_, sections_->order);
    std::optional<std::pair<std::uint64_t, DwarfShape>> shape;
    while ((shape = read_shape(*sections_, table)) && shape->first != wanted) {
    }
    if (!shape || wanted == 0) return;
    Code code;
    std::optional<DwarfValue> folder;
    for (const auto& field : shape->second.fields) {
        const DwarfValue read = value(cursor, field);
        if (!cursor.ok()) return;
        if (field.attribute == at_comp_dir) folder = read;
        read_root_field(field.attribute, read, code);
    }
    // Values may be indexes into tables that a later field of the root names.
    if (folder) folder_ = text(*folder);
    if (code.low) base_address_ = address(*code.low).value_or(0);
    ranges_of(code, ranges_, std::min<std::uint64_t>(sections_->ranges_left, most_root_ranges));
    sections_->ranges_left -= std::min<std::uint64_t>(sections_->ranges_left, ranges_.size());
}

void DwarfUnit::ranges_of(const Code& code, std::vector<AddressRange>& out,
                          std::size_t limit) const {
    if (code.list) {
        if (version_ < 5) return append_ranges(code.list->number, out, limit);
        std::uint64_t offset = code.list->number;
        if (code.list->form == form_rnglistx) {
            if (offset > sections_->rnglists.size()) return;
            DwarfCursor table(sections_->rnglists, rnglists_base_ + offset * offset_bytes_,
                              sections_->order);
            offset = rnglists_base_ + table.sized(offset_bytes_);
        }
        return append_rnglist(offset, out, limit);
    }
    if (!code.low || !code.high || limit == 0) return;
    const auto start = address(*code.low);
    if (!start) return;
    // From DWARF 4 on high_pc is usually a size.
    const std::uint64_t end = address(*code.high).value_or(*start + code.high->number);
    if (end > *start) out.push_back({*start, end});
}

void DwarfUnit::append_ranges(std::uint64_t offset, std::vector<AddressRange>& out,
                              std::size_t limit) const {
    const std::uint64_t all_ones = address_bytes_ == 8 ? ~std::uint64_t{0} : wide_mark;
    DwarfCursor cursor(sections_->ranges, offset, sections_->order);
    std::uint64_t base = base_address_;
    for (std::size_t added = 0; added < limit && sections_->step();) {
        const std::uint64_t start = cursor.sized(address_bytes_);
        const std::uint64_t end = cursor.sized(address_bytes_);
        if (!cursor.ok() || (start == 0 && end == 0)) return;
        if (start == all_ones) {
            base = end;
        } else if (end > start) {
            out.push_back({base + start, base + end});
            ++added;
        }
    }
}

void DwarfUnit::append_rnglist(std::uint64_t offset, std::vector<AddressRange>& out,
                               std::size_t limit) const {
    DwarfCursor cursor(sections_->rnglists, offset, sections_->order);
    std::uint64_t base = base_address_;
    const std::size_t most = out.size() + limit;
    while (cursor.ok() && out.size() < most && sections_->step()) {
        AddressRange range;
        switch (cursor.u8()) {
            case range_base_addressx:
                base = indexed_address(cursor.uleb());
                continue;
            case range_base_address:
                base = cursor.sized(address_bytes_);
                continue;
            case range_startx_endx:
                range.start = indexed_address(cursor.uleb());
                range.end = indexed_address(cursor.uleb());
                break;
            case range_startx_length:
                range.start = indexed_address(cursor.uleb());
                range.end = range.start + cursor.uleb();
                break;
            case range_offset_pair:
                range.start = base + cursor.uleb();
                range.end = base + cursor.uleb();
                break;
            case range_start_end:
                range.start = cursor.sized(address_bytes_);
                range.end = cursor.sized(address_bytes_);
                break;
            case range_start_length:
                range.start = cursor.sized(address_bytes_);
                range.end = range.start + cursor.uleb();
                break;
            default:  // the end of the list, or what is not known
                return;
        }
        if (cursor.ok() && range.end > range.start) out.push_back(range);
    }
}

}  // namespace ringside::symbols
