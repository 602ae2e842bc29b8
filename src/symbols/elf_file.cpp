#include "symbols/elf_file.h"

#include <algorithm>

#include <elf.h>
#include <fmt/format.h>

#include "base/field_cursor.h"

namespace ringside::symbols {

namespace {

using base::ByteOrder;
using base::FieldCursor;
using Bytes = std::span<const std::byte>;

struct SectionHeader {
    std::uint32_t name = 0;
    std::uint32_t type = 0;
    std::uint64_t flags = 0;
    std::uint64_t address = 0;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint32_t link = 0;
    std::uint32_t info = 0;
    std::uint64_t entry_size = 0;
};

struct SymbolEntry {
    std::uint32_t name = 0;
    std::uint8_t info = 0;
    std::uint16_t section = 0;
    std::uint64_t value = 0;
    std::uint64_t size = 0;

    unsigned type() const { return info & 0xfu; }
    unsigned binding() const { return info >> 4u; }
};

class Parser {
  public:
    Parser(Bytes bytes, bool wide, ByteOrder order) : bytes_(bytes), wide_(wide), order_(order) {}

    ElfFile parse() {
        read_headers();
        ElfFile file;
        file.segments = segments_;
        for (std::size_t i = 0; i < sections_.size(); ++i) {
            const SectionHeader& section = sections_[i];
            if (section.type == SHT_NOTE) read_notes(content(section), file);
            if (name_of(section) == ".gnu_debuglink")
                file.debug_link = FieldCursor::text_in(content(section));
            if (section.type == SHT_SYMTAB) file.has_symtab = true;
            if (section.type == SHT_SYMTAB || section.type == SHT_DYNSYM)
                read_symbols(section, file.functions);
        }
        read_plt(file.functions);
        file.functions.finish();
        return file;
    }

    std::optional<std::uint64_t> offset_of(std::string_view function) {
        read_headers();
        std::optional<std::uint64_t> address;
        for (const SectionHeader& section : sections_) {
            if (section.type != SHT_SYMTAB && section.type != SHT_DYNSYM) continue;
            visit_functions(section, [&](const SymbolEntry& entry, std::string_view name) {
                if (name == function && !address) address = entry.value;
            });
        }
        for (const ElfSegment& segment : segments_) {
            if (address && *address >= segment.address &&
                *address - segment.address < segment.file_size)
                return *address - segment.address + segment.file_offset;
        }
        return std::nullopt;
    }

  private:
    Bytes part(std::uint64_t offset, std::uint64_t size) const {
        if (offset > bytes_.size() || size > bytes_.size() - offset) return {};
        return bytes_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
    }
    Bytes content(const SectionHeader& section) const {
        return section.type == SHT_NOBITS ? Bytes{} : part(section.offset, section.size);
    }
    std::uint64_t native(FieldCursor& cursor) const { return wide_ ? cursor.u64() : cursor.u32(); }
    std::string_view text_at(Bytes strings, std::uint64_t at) const {
        return at < strings.size()
                   ? FieldCursor::text_in(strings.subspan(static_cast<std::size_t>(at)))
                   : std::string_view{};
    }
    std::string_view name_of(const SectionHeader& section) const {
        return text_at(section_names_, section.name);
    }

    void read_headers() {
        FieldCursor cursor(bytes_, order_);
        cursor.skip(EI_NIDENT);
        cursor.u16();  // type
        machine_ = cursor.u16();
        cursor.u32();    // version
        native(cursor);  // entry
        const std::uint64_t programs_at = native(cursor);
        const std::uint64_t sections_at = native(cursor);
        cursor.u32();  // flags
        cursor.u16();  // header size
        const std::uint16_t program_bytes = cursor.u16();
        const std::uint16_t program_count = cursor.u16();
        const std::uint16_t section_bytes = cursor.u16();
        std::uint64_t section_count = cursor.u16();
        std::uint32_t names = cursor.u16();
        for (std::uint64_t i = 0; i < program_count; ++i)
            read_segment(part(programs_at + i * program_bytes, program_bytes));
        const auto first = section_header(part(sections_at, section_bytes));
        // Files with very many sections say so in the first one.
        if (section_count == 0) section_count = first.size;
        if (names == SHN_XINDEX) names = first.link;
        for (std::uint64_t i = 0; i < section_count; ++i) {
            const Bytes header = part(sections_at + i * section_bytes, section_bytes);
            if (header.empty()) break;
            sections_.push_back(section_header(header));
        }
        if (names < sections_.size()) section_names_ = content(sections_[names]);
    }

    void read_segment(Bytes bytes) {
        FieldCursor cursor(bytes, order_);
        const std::uint32_t type = cursor.u32();
        if (wide_) cursor.u32();  // flags
        ElfSegment segment;
        segment.file_offset = native(cursor);
        segment.address = native(cursor);
        native(cursor);  // physical address
        segment.file_size = native(cursor);
        if (cursor.ok() && type == PT_LOAD) segments_.push_back(segment);
    }

    SectionHeader section_header(Bytes bytes) const {
        FieldCursor cursor(bytes, order_);
        SectionHeader section;
        section.name = cursor.u32();
        section.type = cursor.u32();
        section.flags = native(cursor);
        section.address = native(cursor);
        section.offset = native(cursor);
        section.size = native(cursor);
        section.link = cursor.u32();
        section.info = cursor.u32();
        native(cursor);  // alignment
        section.entry_size = native(cursor);
        return cursor.ok() ? section : SectionHeader{};
    }

    void read_notes(Bytes bytes, ElfFile& file) const {
        FieldCursor cursor(bytes, order_);
        const auto padded = [](std::uint32_t size) { return (std::uint64_t{size} + 3) / 4 * 4; };
        while (cursor.remaining() >= 12) {
            const std::uint32_t name_size = cursor.u32();
            const std::uint32_t size = cursor.u32();
            const std::uint32_t type = cursor.u32();
            const auto name = FieldCursor::text_in(cursor.take(padded(name_size)));
            const Bytes content = cursor.take(padded(size));
            if (!cursor.ok()) return;
            if (type != NT_GNU_BUILD_ID || name != "GNU") continue;
            file.build_id.clear();
            for (const auto byte : content.first(size))
                file.build_id += fmt::format("{:02x}", static_cast<unsigned>(byte));
        }
    }

    SymbolEntry symbol_entry(FieldCursor& cursor) const {
        SymbolEntry entry;
        entry.name = cursor.u32();
        if (!wide_) {
            entry.value = cursor.u32();
            entry.size = cursor.u32();
        }
        entry.info = cursor.read<std::uint8_t>();
        cursor.read<std::uint8_t>();  // visibility
        entry.section = cursor.u16();
        if (wide_) {
            entry.value = cursor.u64();
            entry.size = cursor.u64();
        }
        return entry;
    }

    bool executable(std::uint16_t section) const {
        return section < sections_.size() && (sections_[section].flags & SHF_EXECINSTR) != 0;
    }

    // Functions, and labels in code: assembler routines often have no type.
    bool wanted(const SymbolEntry& entry, std::string_view name) const {
        if (entry.section == SHN_UNDEF || name.empty()) return false;
        if (entry.type() == STT_FUNC || entry.type() == STT_GNU_IFUNC) return true;
        const bool mapping_symbol = name.front() == '$';  // arm's marks of code and data
        return entry.type() == STT_NOTYPE && executable(entry.section) && !mapping_symbol;
    }

    template <typename Visit>
    void visit_functions(const SectionHeader& section, const Visit& visit) const {
        if (section.link >= sections_.size()) return;
        const Bytes strings = content(sections_[section.link]);
        const std::size_t each = wide_ ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
        FieldCursor cursor(content(section), order_);
        while (cursor.remaining() >= each) {
            const SymbolEntry entry = symbol_entry(cursor);
            const std::string_view name = text_at(strings, entry.name);
            if (wanted(entry, name)) visit(entry, name);
        }
    }

    void read_symbols(const SectionHeader& section, SymbolTable& table) const {
        visit_functions(section, [&](const SymbolEntry& entry, std::string_view name) {
            SymbolRank rank;
            rank.strong = entry.binding() != STB_WEAK;
            rank.global = entry.binding() == STB_GLOBAL;
            table.add(entry.value, entry.size, name, rank);
        });
    }

    const SectionHeader* section(std::string_view name) const {
        for (const auto& candidate : sections_)
            if (name_of(candidate) == name) return &candidate;
        return nullptr;
    }

    // The stubs through which calls leave a module carry no symbols; they are in the order of
    // their relocations.
    void read_plt(SymbolTable& table) const {
        const SectionHeader* relocations = section(".rela.plt");
        const SectionHeader* stubs = section(".plt.sec");
        std::uint64_t head = 0;
        if (stubs == nullptr) {
            stubs = section(".plt");
            head = machine_ == EM_AARCH64 ? 32 : 16;  // the first stub calls the linker
        }
        if (relocations == nullptr || stubs == nullptr || !wide_) return;
        if (relocations->link >= sections_.size()) return;
        const SectionHeader& symbols = sections_[relocations->link];
        if (symbols.link >= sections_.size()) return;
        constexpr std::uint64_t stub_bytes = 16;
        const Bytes strings = content(sections_[symbols.link]);
        const Bytes entries = content(symbols);
        FieldCursor cursor(content(*relocations), order_);
        std::uint64_t at = head;
        while (cursor.remaining() >= sizeof(Elf64_Rela) && at + stub_bytes <= stubs->size) {
            cursor.u64();  // where the linker writes
            const std::uint64_t index = cursor.u64() >> 32u;
            cursor.u64();
            if (index < entries.size() / sizeof(Elf64_Sym)) {
                FieldCursor target(entries.subspan(index * sizeof(Elf64_Sym)), order_);
                const std::string_view name = text_at(strings, symbol_entry(target).name);
                if (!name.empty())
                    table.add(stubs->address + at, stub_bytes, std::string(name) + "@plt");
            }
            at += stub_bytes;
        }
    }

    Bytes bytes_;
    bool wide_;
    ByteOrder order_;
    std::uint16_t machine_ = 0;
    std::vector<SectionHeader> sections_;
    std::vector<ElfSegment> segments_;
    Bytes section_names_;
};

// nullopt when it is no ELF file.
std::optional<Parser> parser_of(Bytes bytes) {
    const auto at = [&](std::size_t index) { return static_cast<unsigned char>(bytes[index]); };
    if (bytes.size() < EI_NIDENT || at(0) != ELFMAG0 || at(1) != ELFMAG1 || at(2) != ELFMAG2 ||
        at(3) != ELFMAG3)
        return std::nullopt;
    const bool little = at(EI_DATA) == ELFDATA2LSB;
    const bool same = little == (std::endian::native == std::endian::little);
    return Parser(bytes, at(EI_CLASS) == ELFCLASS64, same ? ByteOrder::same : ByteOrder::swapped);
}

}  // namespace

std::uint64_t ElfFile::address_of_offset(std::uint64_t file_offset) const {
    for (const auto& segment : segments)
        if (file_offset >= segment.file_offset &&
            file_offset - segment.file_offset < segment.file_size)
            return file_offset - segment.file_offset + segment.address;
    return file_offset;
}

std::optional<ElfFile> parse_elf(std::span<const std::byte> bytes) {
    auto parser = parser_of(bytes);
    return parser ? std::optional(parser->parse()) : std::nullopt;
}

std::optional<std::uint64_t> offset_of_function(std::span<const std::byte> bytes,
                                                std::string_view name) {
    auto parser = parser_of(bytes);
    return parser ? parser->offset_of(name) : std::nullopt;
}

}  // namespace ringside::symbols
