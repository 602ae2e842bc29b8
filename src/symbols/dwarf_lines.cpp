#include "symbols/dwarf_lines.h"

#include <algorithm>

namespace ringside::symbols {

using namespace dwarf;

// What the head of a line program says (DWARF 5, section 6.2.4).
struct DwarfLines::Program {
    std::uint16_t version = 0;
    std::uint8_t offset_bytes = 4;
    std::uint8_t address_bytes = 8;
    std::uint8_t least_instruction = 1;
    std::int8_t line_base = 0;
    std::uint8_t line_range = 1;
    std::uint8_t opcode_base = 1;
    std::vector<std::uint8_t> operands;  // how many numbers follow each standard opcode
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

namespace {

// The registers of the line machine, and the rows of the sequence it is in.
struct LineMachine {
    std::uint64_t address = 0;
    std::uint64_t file = 1;
    std::uint64_t line = 1;
    std::vector<LineRow> sequence;

    void add_row() {
        sequence.push_back(
            {address, static_cast<std::uint32_t>(file), static_cast<std::uint32_t>(line)});
    }
    // Code that the linker dropped stays behind at address 0.
    void end_sequence(std::vector<LineRow>& rows) {
        if (!sequence.empty() && sequence.front().address != 0) {
            sequence.push_back({address, LineRow::no_file, 0});
            rows.insert(rows.end(), sequence.begin(), sequence.end());
        }
        *this = LineMachine{};
    }
};

}  // namespace

DwarfLines::DwarfLines(const DwarfSections& sections, const DwarfUnit& unit)
    : sections_(sections), unit_(unit) {
    if (!unit.line_program()) return;
    DwarfCursor cursor(sections.line, *unit.line_program(), sections.order);
    Program program;
    if (!read_head(cursor, program)) return;
    run(DwarfCursor(sections.line.first(static_cast<std::size_t>(program.end)), program.begin,
                    sections.order),
        program);
    // Sequences are in order, the program as a whole need not be. Of several rows at one address
    // the last counts; but where one sequence ends and another begins, the beginning does.
    std::stable_sort(rows_.begin(), rows_.end(), [](const LineRow& a, const LineRow& b) {
        if (a.address != b.address) return a.address < b.address;
        return a.file == LineRow::no_file && b.file != LineRow::no_file;
    });
}

bool DwarfLines::read_head(DwarfCursor& cursor, Program& program) {
    std::uint64_t length = cursor.u32();
    if (length == 0xffffffff) {
        length = cursor.u64();
        program.offset_bytes = 8;
    }
    if (!cursor.ok() || length > cursor.remaining()) return false;
    program.end = cursor.offset() + length;
    program.version = cursor.u16();
    if (program.version < 2 || program.version > 5) return false;
    program.address_bytes = unit_.address_bytes();
    if (program.version >= 5) {
        program.address_bytes = cursor.u8();
        cursor.u8();  // segment selectors, which nobody uses
    }
    const std::uint64_t head_bytes = cursor.sized(program.offset_bytes);
    program.begin = cursor.offset() + head_bytes;
    if (head_bytes > cursor.remaining() || program.begin > program.end) return false;
    program.least_instruction = cursor.u8();
    if (program.version >= 4) cursor.u8();  // operations of an instruction: 1 but on VLIW
    cursor.u8();                            // whether rows begin as statements
    program.line_base = static_cast<std::int8_t>(cursor.u8());
    program.line_range = cursor.u8();
    program.opcode_base = cursor.u8();
    if (program.line_range == 0 || program.opcode_base == 0) return false;
    for (int i = 1; i < program.opcode_base; ++i) program.operands.push_back(cursor.u8());
    if (program.version >= 5)
        read_tables(cursor);
    else
        read_old_tables(cursor);
    return cursor.ok();
}

// Up to DWARF 4 folder 0 is the unit's own, and files count from 1.
void DwarfLines::read_old_tables(DwarfCursor& cursor) {
    folders_.push_back(unit_.folder());
    while (cursor.ok() && sections_.step()) {
        const auto folder = cursor.string();
        if (folder.empty()) break;
        folders_.push_back(folder);
    }
    files_.push_back({});
    while (cursor.ok() && sections_.step()) {
        File file;
        file.name = cursor.string();
        if (file.name.empty()) break;
        file.folder = cursor.uleb();
        cursor.uleb();  // time
        cursor.uleb();  // size
        files_.push_back(file);
    }
}

// DWARF 5 describes what the entries of its tables hold.
void DwarfLines::read_tables(DwarfCursor& cursor) {
    const auto read_table = [&](const auto& add) {
        std::vector<std::pair<std::uint64_t, std::uint16_t>> format;
        const std::uint8_t fields = cursor.u8();
        for (int i = 0; i < fields; ++i) {
            const std::uint64_t content = cursor.uleb();
            format.emplace_back(content, static_cast<std::uint16_t>(cursor.uleb()));
        }
        const std::uint64_t count = cursor.uleb();
        for (std::uint64_t i = 0; i < count && cursor.ok() && sections_.step(); ++i) {
            const std::uint64_t begin = cursor.offset();
            File entry;
            for (const auto& [content, form] : format) {
                const DwarfValue value = unit_.value(cursor, {0, form, 0});
                if (content == content_path) entry.name = unit_.text(value);
                if (content == content_directory_index) entry.folder = value.number;
            }
            // Entries that take no room could go on for ever.
            if (cursor.offset() == begin) return;
            if (cursor.ok()) add(entry);
        }
    };
    read_table([this](const File& folder) { folders_.push_back(folder.name); });
    read_table([this](const File& file) { files_.push_back(file); });
}

void DwarfLines::run(DwarfCursor cursor, const Program& program) {
    LineMachine machine;
    const auto advance = [&](std::uint64_t operations) {
        machine.address += operations * program.least_instruction;
    };
    while (cursor.ok() && cursor.remaining() > 0 && sections_.step()) {
        const std::uint8_t opcode = cursor.u8();
        if (opcode >= program.opcode_base) {
            const int adjusted = opcode - program.opcode_base;
            advance(static_cast<std::uint64_t>(adjusted / program.line_range));
            machine.line += static_cast<std::uint64_t>(
                static_cast<std::int64_t>(program.line_base + adjusted % program.line_range));
            machine.add_row();
            continue;
        }
        switch (opcode) {
            case line_extended: {
                const std::uint64_t size = cursor.uleb();
                const auto body = cursor.take(size);
                if (body.empty()) break;
                DwarfCursor inner(body, 0, cursor.order());
                const std::uint8_t kind = inner.u8();
                if (kind == line_end_sequence) machine.end_sequence(rows_);
                if (kind == line_set_address) machine.address = inner.sized(inner.remaining());
                break;
            }
            case line_copy:
                machine.add_row();
                break;
            case line_advance_pc:
                advance(cursor.uleb());
                break;
            case line_advance_line:
                machine.line += static_cast<std::uint64_t>(cursor.sleb());
                break;
            case line_set_file:
                machine.file = cursor.uleb();
                break;
            case line_const_add_pc:
                advance(
                    static_cast<std::uint64_t>((255 - program.opcode_base) / program.line_range));
                break;
            case line_fixed_advance_pc:
                machine.address += cursor.u16();
                break;
            default:
                for (int i = 0; i < program.operands[opcode - 1u]; ++i) cursor.uleb();
        }
    }
}

const LineRow* DwarfLines::find(std::uint64_t address) const {
    auto after = std::upper_bound(
        rows_.begin(), rows_.end(), address,
        [](std::uint64_t value, const LineRow& row) { return value < row.address; });
    if (after == rows_.begin()) return nullptr;
    --after;
    return after->file == LineRow::no_file ? nullptr : &*after;
}

std::string DwarfLines::file(std::uint64_t number) const {
    if (number >= files_.size()) return {};
    const File& file = files_[static_cast<std::size_t>(number)];
    if (file.name.starts_with('/') || file.folder >= folders_.size()) return std::string(file.name);
    const std::string_view folder = folders_[static_cast<std::size_t>(file.folder)];
    std::string path;
    if (!folder.starts_with('/') && !unit_.folder().empty())
        path = std::string(unit_.folder()) + "/";
    if (!folder.empty()) path += std::string(folder) + "/";
    return path + std::string(file.name);
}

}  // namespace ringside::symbols
