#include "symbols/unwind_table.h"

#include <algorithm>
#include <string_view>

namespace ringside::symbols {

namespace {

// Pointer encodings of .eh_frame (LSB, "DWARF Exception Header Encoding").
enum : std::uint8_t {
    pointer_omitted = 0xff,
    pointer_format = 0x0f,
    pointer_relative = 0x70,
    pointer_to_itself = 0x10,  // relative to where it stands
};

// Call frame instructions (DWARF 5, section 7.24). The first three hold an operand in 6 bits.
enum Instruction : std::uint8_t {
    cfa_advance_loc = 0x40,
    cfa_offset = 0x80,
    cfa_restore = 0xc0,
    cfa_nop = 0x00,
    cfa_set_loc = 0x01,
    cfa_advance_loc1 = 0x02,
    cfa_advance_loc2 = 0x03,
    cfa_advance_loc4 = 0x04,
    cfa_offset_extended = 0x05,
    cfa_restore_extended = 0x06,
    cfa_undefined = 0x07,
    cfa_same_value = 0x08,
    cfa_register = 0x09,
    cfa_remember_state = 0x0a,
    cfa_restore_state = 0x0b,
    cfa_def_cfa = 0x0c,
    cfa_def_cfa_register = 0x0d,
    cfa_def_cfa_offset = 0x0e,
    cfa_def_cfa_expression = 0x0f,
    cfa_expression = 0x10,
    cfa_offset_extended_sf = 0x11,
    cfa_def_cfa_sf = 0x12,
    cfa_def_cfa_offset_sf = 0x13,
    cfa_val_offset = 0x14,
    cfa_val_offset_sf = 0x15,
    cfa_val_expression = 0x16,
    cfa_aarch64_negate_ra_state = 0x2d,
    cfa_gnu_args_size = 0x2e,
};

using Kind = UnwindRule::Kind;

}  // namespace

// Runs the instructions of a function up to one address.
class UnwindTable::Program {
  public:
    Program(const Common& common, base::ByteOrder order) : common_(common), order_(order) {
        row_.return_register = common.return_register;
        row_.signal_frame = common.signal_frame;
    }

    // False when an instruction is not known.
    bool run(DwarfBytes program, std::uint64_t from, std::uint64_t until) {
        DwarfCursor cursor(program, 0, order_);
        std::uint64_t at = from;
        while (cursor.ok() && cursor.remaining() > 0) {
            const std::uint8_t opcode = cursor.u8();
            const std::uint8_t operand = opcode & 0x3f;
            if (const auto advance = distance(opcode, operand, cursor)) {
                at += *advance * common_.code_align;
                if (at > until) return true;
                continue;
            }
            if (!(opcode >= cfa_advance_loc ? short_instruction(opcode, operand, cursor)
                                            : instruction(opcode, cursor)))
                return false;
        }
        return cursor.ok();
    }
    // What holds at the beginning of every function is what restoring goes back to.
    void begin_function() { initial_ = row_; }
    const UnwindRow& row() const { return row_; }

  private:
    static std::optional<std::uint64_t> distance(std::uint8_t opcode, std::uint8_t operand,
                                                 DwarfCursor& cursor) {
        if ((opcode & 0xc0) == cfa_advance_loc) return operand;
        if (opcode == cfa_advance_loc1) return cursor.u8();
        if (opcode == cfa_advance_loc2) return cursor.u16();
        if (opcode == cfa_advance_loc4) return cursor.u32();
        return std::nullopt;
    }

    void set(std::uint64_t number, Kind kind, std::int64_t value = 0, DwarfBytes expression = {}) {
        if (number < unwind_registers) row_.rules[number] = {kind, value, expression};
    }
    void restore(std::uint64_t number) {
        if (number < unwind_registers) row_.rules[number] = initial_.rules[number];
    }
    std::int64_t scaled(std::uint64_t factor) const {
        return static_cast<std::int64_t>(factor) * common_.data_align;
    }
    static DwarfBytes block(DwarfCursor& cursor) { return cursor.take(cursor.uleb()); }

    bool short_instruction(std::uint8_t opcode, std::uint8_t operand, DwarfCursor& cursor) {
        if ((opcode & 0xc0) == cfa_offset)
            set(operand, Kind::at_offset, scaled(cursor.uleb()));
        else
            restore(operand);
        return true;
    }

    bool instruction(std::uint8_t opcode, DwarfCursor& cursor) {
        switch (opcode) {
            case cfa_nop:
                return true;
            case cfa_def_cfa:
                row_.cfa_register = cursor.uleb();
                row_.cfa_offset = static_cast<std::int64_t>(cursor.uleb());
                row_.cfa_expression = {};
                return true;
            case cfa_def_cfa_sf:
                row_.cfa_register = cursor.uleb();
                row_.cfa_offset = scaled(static_cast<std::uint64_t>(cursor.sleb()));
                row_.cfa_expression = {};
                return true;
            case cfa_def_cfa_register:
                row_.cfa_register = cursor.uleb();
                row_.cfa_expression = {};
                return true;
            case cfa_def_cfa_offset:
                row_.cfa_offset = static_cast<std::int64_t>(cursor.uleb());
                return true;
            case cfa_def_cfa_offset_sf:
                row_.cfa_offset = scaled(static_cast<std::uint64_t>(cursor.sleb()));
                return true;
            case cfa_def_cfa_expression:
                row_.cfa_expression = block(cursor);
                return true;
            case cfa_remember_state:
                if (remembered_.size() > most_remembered) return false;
                remembered_.push_back(row_);
                return true;
            case cfa_restore_state:
                if (remembered_.empty()) return false;
                row_ = remembered_.back();
                remembered_.pop_back();
                return true;
            case cfa_aarch64_negate_ra_state:
                row_.signed_return = !row_.signed_return;
                return true;
            case cfa_gnu_args_size:
                cursor.uleb();
                return true;
            default:
                return register_rule(opcode, cursor);
        }
    }

    bool register_rule(std::uint8_t opcode, DwarfCursor& cursor) {
        const std::uint64_t number = cursor.uleb();
        switch (opcode) {
            case cfa_offset_extended:
                set(number, Kind::at_offset, scaled(cursor.uleb()));
                return true;
            case cfa_offset_extended_sf:
                set(number, Kind::at_offset, scaled(static_cast<std::uint64_t>(cursor.sleb())));
                return true;
            case cfa_val_offset:
                set(number, Kind::is_offset, scaled(cursor.uleb()));
                return true;
            case cfa_val_offset_sf:
                set(number, Kind::is_offset, scaled(static_cast<std::uint64_t>(cursor.sleb())));
                return true;
            case cfa_restore_extended:
                restore(number);
                return true;
            case cfa_undefined:
                set(number, Kind::undefined);
                return true;
            case cfa_same_value:
                set(number, Kind::same);
                return true;
            case cfa_register:
                set(number, Kind::in_register, static_cast<std::int64_t>(cursor.uleb()));
                return true;
            case cfa_expression:
                set(number, Kind::at_expression, 0, block(cursor));
                return true;
            case cfa_val_expression:
                set(number, Kind::is_expression, 0, block(cursor));
                return true;
            default:
                return false;
        }
    }

    static constexpr std::size_t most_remembered = 64;

    const Common& common_;
    base::ByteOrder order_;
    UnwindRow row_;
    UnwindRow initial_;
    std::vector<UnwindRow> remembered_;
};

UnwindTable::UnwindTable(ElfBytes bytes) {
    const auto elf = ElfSections::parse(bytes);
    if (!elf || !elf->wide()) return;
    order_ = elf->order();
    machine_ = elf->machine();
    unpacked_.resize(2);
    for (const bool eh : {true, false}) {
        const std::string_view name = eh ? ".eh_frame" : ".debug_frame";
        const ElfSection* header = elf->find(name);
        if (header == nullptr) continue;
        read_section({elf->unpacked(name, unpacked_[eh ? 0 : 1]), header->address, eh});
    }
    std::stable_sort(frames_.begin(), frames_.end(),
                     [](const Frame& a, const Frame& b) { return a.start < b.start; });
    common_by_offset_.clear();
}

void UnwindTable::read_section(const Section& section) {
    common_by_offset_.clear();
    DwarfCursor cursor(section.bytes, 0, order_);
    while (cursor.ok() && cursor.remaining() > 0) {
        std::uint64_t length = cursor.u32();
        const bool wide = length == 0xffffffff;
        if (wide) length = cursor.u64();
        if (length == 0) continue;  // the end in .eh_frame, but linkers join several
        const std::uint64_t begin = cursor.offset();
        if (length > cursor.remaining()) return;
        const std::uint64_t id = wide ? cursor.u64() : cursor.u32();
        const std::uint64_t common_mark = section.eh ? 0 : wide ? ~std::uint64_t{0} : 0xffffffff;
        if (id != common_mark) {
            // In .eh_frame it is the distance back from where it stands.
            const auto common = common_at(section, section.eh ? begin - id : id);
            if (common)
                read_frame(
                    section,
                    DwarfCursor(section.bytes.first(begin + length), cursor.offset(), order_),
                    *common);
        }
        cursor = DwarfCursor(section.bytes, begin + length, order_);
    }
}

std::optional<std::uint32_t> UnwindTable::common_at(const Section& section, std::uint64_t offset) {
    const auto known = common_by_offset_.find(offset);
    if (known != common_by_offset_.end()) return known->second;
    DwarfCursor cursor(section.bytes, offset, order_);
    std::uint64_t length = cursor.u32();
    const bool wide = length == 0xffffffff;
    if (wide) length = cursor.u64();
    if (!cursor.ok() || length > cursor.remaining()) return std::nullopt;
    cursor = DwarfCursor(section.bytes.first(cursor.offset() + length), cursor.offset(), order_);
    cursor.skip(wide ? 8 : 4);  // the mark
    Common common;
    const std::uint8_t version = cursor.u8();
    const std::string_view augmentation = cursor.string();
    if (version >= 4) cursor.skip(2);  // sizes of addresses and segments
    common.code_align = cursor.uleb();
    common.data_align = cursor.sleb();
    common.return_register = version == 1 ? cursor.u8() : cursor.uleb();
    common.augmented = augmentation.starts_with('z');
    if (common.augmented) {
        const std::uint64_t rest = cursor.uleb();
        const std::uint64_t program_at = cursor.offset() + rest;
        for (const char letter : augmentation) {
            if (letter == 'R') common.encoding = cursor.u8();
            if (letter == 'L') cursor.u8();
            if (letter == 'P') {
                const std::uint8_t encoding = cursor.u8();
                pointer(section, cursor, encoding);
            }
            if (letter == 'S') common.signal_frame = true;
        }
        cursor.skip(program_at - std::min(program_at, cursor.offset()));
    }
    common.program = cursor.take(cursor.remaining());
    const bool usable = cursor.ok() && common.return_register < unwind_registers &&
                        (augmentation.empty() || common.augmented);
    if (!usable) return std::nullopt;
    commons_.push_back(common);
    const auto number = static_cast<std::uint32_t>(commons_.size() - 1);
    common_by_offset_.emplace(offset, number);
    return number;
}

void UnwindTable::read_frame(const Section& section, DwarfCursor cursor, std::uint32_t common) {
    Frame frame;
    frame.common = common;
    const std::uint8_t encoding = commons_[common].encoding;
    const auto start = pointer(section, cursor, encoding);
    const auto size = pointer(section, cursor, encoding & pointer_format);
    if (!start || !size || *start == 0 || *start + *size < *start) return;
    frame.start = *start;
    frame.end = *start + *size;
    if (commons_[common].augmented) cursor.skip(cursor.uleb());
    frame.program = cursor.take(cursor.remaining());
    if (cursor.ok()) frames_.push_back(frame);
}

std::optional<std::uint64_t> UnwindTable::pointer(const Section& section, DwarfCursor& cursor,
                                                  std::uint8_t encoding) const {
    if (encoding == pointer_omitted) return std::nullopt;
    const std::uint64_t here = section.address + cursor.offset();
    std::uint64_t value = 0;
    switch (encoding & pointer_format) {
        case 0x00:
        case 0x04:
        case 0x0c:
            value = cursor.u64();
            break;
        case 0x01:
            value = cursor.uleb();
            break;
        case 0x02:
            value = cursor.u16();
            break;
        case 0x03:
            value = cursor.u32();
            break;
        case 0x09:
            value = static_cast<std::uint64_t>(cursor.sleb());
            break;
        case 0x0a:
            value =
                static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(cursor.u16())});
            break;
        case 0x0b:
            value =
                static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(cursor.u32())});
            break;
        default:
            return std::nullopt;
    }
    if (!cursor.ok()) return std::nullopt;
    if ((encoding & pointer_relative) == pointer_to_itself) value += here;
    return value;
}

const UnwindRow* UnwindTable::find(std::uint64_t address) {
    const auto [slot, added] = rows_.try_emplace(address);
    if (!added) return slot->second ? &*slot->second : nullptr;
    auto after = std::upper_bound(
        frames_.begin(), frames_.end(), address,
        [](std::uint64_t value, const Frame& frame) { return value < frame.start; });
    if (after == frames_.begin()) return nullptr;
    const Frame& frame = *std::prev(after);
    if (address >= frame.end) return nullptr;
    Program program(commons_[frame.common], order_);
    if (!program.run(commons_[frame.common].program, 0, ~std::uint64_t{0})) return nullptr;
    program.begin_function();
    if (!program.run(frame.program, frame.start, address)) return nullptr;
    slot->second = program.row();
    return &*slot->second;
}

}  // namespace ringside::symbols
