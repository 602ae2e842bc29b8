#include "symbols/elf_file.h"

#include <algorithm>

#include <elf.h>
#include <fmt/format.h>

#include "base/field_cursor.h"

namespace ringside::symbols {

namespace {

using base::FieldCursor;

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
    explicit Parser(const ElfSections& sections) : elf_(sections) {}

    ElfFile parse() const {
        ElfFile file;
        file.segments = elf_.segments();
        // Sections do not overlap, or thousands could have the same content.
        std::uint64_t left = elf_.file_bytes();
        for (const auto& section : elf_.sections()) {
            const bool is_read = section.type == SHT_NOTE || section.type == SHT_SYMTAB ||
                                 section.type == SHT_DYNSYM;
            if (is_read && elf_.content(section).size() > left) continue;
            if (is_read) left -= elf_.content(section).size();
            if (section.type == SHT_NOTE) {
                auto build_id = build_id_in(elf_.content(section), elf_.order());
                if (!build_id.empty()) file.build_id = std::move(build_id);
            }
            if (elf_.name(section) == ".gnu_debuglink")
                file.debug_link = FieldCursor::text_in(elf_.content(section));
            if (section.type == SHT_SYMTAB) file.has_symtab = true;
            if (section.type == SHT_SYMTAB || section.type == SHT_DYNSYM)
                read_symbols(section, file.functions);
        }
        file.has_debug_info = elf_.find(".debug_info") != nullptr;
        read_plt(file.functions);
        file.functions.finish();
        return file;
    }

    std::optional<std::uint64_t> offset_of(std::string_view function) const {
        std::optional<std::uint64_t> address;
        for (const auto& section : elf_.sections()) {
            if (section.type != SHT_SYMTAB && section.type != SHT_DYNSYM) continue;
            visit_functions(section, [&](const SymbolEntry& entry, std::string_view name) {
                if (name == function && !address) address = entry.value;
            });
        }
        for (const ElfSegment& segment : elf_.segments()) {
            if (address && *address >= segment.address &&
                *address - segment.address < segment.file_size)
                return *address - segment.address + segment.file_offset;
        }
        return std::nullopt;
    }

  private:
    SymbolEntry symbol_entry(FieldCursor& cursor) const {
        SymbolEntry entry;
        entry.name = cursor.u32();
        if (!elf_.wide()) {
            entry.value = cursor.u32();
            entry.size = cursor.u32();
        }
        entry.info = cursor.read<std::uint8_t>();
        cursor.read<std::uint8_t>();  // visibility
        entry.section = cursor.u16();
        if (elf_.wide()) {
            entry.value = cursor.u64();
            entry.size = cursor.u64();
        }
        return entry;
    }

    bool executable(std::uint16_t section) const {
        return section < elf_.sections().size() &&
               (elf_.sections()[section].flags & SHF_EXECINSTR) != 0;
    }

    // Functions, and labels in code: assembler routines often have no type.
    bool is_code(const SymbolEntry& entry) const {
        if (entry.section == SHN_UNDEF) return false;
        if (entry.type() == STT_FUNC || entry.type() == STT_GNU_IFUNC) return true;
        return entry.type() == STT_NOTYPE && executable(entry.section);
    }
    static bool is_name(const SymbolEntry& entry, std::string_view name) {
        if (name.empty()) return false;
        const bool mapping_symbol = name.front() == '$';  // arm's marks of code and data
        return entry.type() != STT_NOTYPE || !mapping_symbol;
    }

    template <typename Visit>
    void visit_functions(const ElfSection& section, const Visit& visit) const {
        if (section.link >= elf_.sections().size()) return;
        const ElfBytes strings = elf_.content(elf_.sections()[section.link]);
        const std::size_t each = elf_.wide() ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
        FieldCursor cursor(elf_.content(section), elf_.order());
        while (cursor.remaining() >= each) {
            const SymbolEntry entry = symbol_entry(cursor);
            if (!is_code(entry)) continue;
            const std::string_view name = ElfSections::text_at(strings, entry.name);
            if (is_name(entry, name)) visit(entry, name);
        }
    }

    void read_symbols(const ElfSection& section, SymbolTable& table) const {
        visit_functions(section, [&](const SymbolEntry& entry, std::string_view name) {
            SymbolRank rank;
            rank.strong = entry.binding() != STB_WEAK;
            rank.global = entry.binding() == STB_GLOBAL;
            table.add(entry.value, entry.size, name, rank);
        });
    }

    // The stubs through which calls leave a module carry no symbols; they are in the order of
    // their relocations.
    void read_plt(SymbolTable& table) const {
        const ElfSection* relocations = elf_.find(".rela.plt");
        const ElfSection* stubs = elf_.find(".plt.sec");
        std::uint64_t head = 0;
        if (stubs == nullptr) {
            stubs = elf_.find(".plt");
            head = elf_.machine() == EM_AARCH64 ? 32 : 16;  // the first stub calls the linker
        }
        if (relocations == nullptr || stubs == nullptr || !elf_.wide()) return;
        if (relocations->link >= elf_.sections().size()) return;
        const ElfSection& symbols = elf_.sections()[relocations->link];
        if (symbols.link >= elf_.sections().size()) return;
        constexpr std::uint64_t stub_bytes = 16;
        const ElfBytes strings = elf_.content(elf_.sections()[symbols.link]);
        const ElfBytes entries = elf_.content(symbols);
        FieldCursor cursor(elf_.content(*relocations), elf_.order());
        std::uint64_t at = head;
        while (cursor.remaining() >= sizeof(Elf64_Rela) && at + stub_bytes <= stubs->size) {
            cursor.u64();  // where the linker writes
            const std::uint64_t index = cursor.u64() >> 32u;
            cursor.u64();
            if (index < entries.size() / sizeof(Elf64_Sym)) {
                FieldCursor target(entries.subspan(index * sizeof(Elf64_Sym)), elf_.order());
                const std::string_view name =
                    ElfSections::text_at(strings, symbol_entry(target).name);
                if (!name.empty())
                    table.add(stubs->address + at, stub_bytes, std::string(name) + "@plt");
            }
            at += stub_bytes;
        }
    }

    const ElfSections& elf_;
};

}  // namespace

std::uint64_t address_of_offset(std::span<const ElfSegment> segments, std::uint64_t file_offset) {
    for (const auto& segment : segments)
        if (file_offset >= segment.file_offset &&
            file_offset - segment.file_offset < segment.file_size)
            return file_offset - segment.file_offset + segment.address;
    return file_offset;
}

std::string build_id_in(std::span<const std::byte> notes, base::ByteOrder order) {
    FieldCursor cursor(notes, order);
    std::string build_id;
    const auto padded = [](std::uint32_t size) { return (std::uint64_t{size} + 3) / 4 * 4; };
    while (cursor.remaining() >= 12) {
        const std::uint32_t name_size = cursor.u32();
        const std::uint32_t size = cursor.u32();
        const std::uint32_t type = cursor.u32();
        const auto name = FieldCursor::text_in(cursor.take(padded(name_size)));
        const ElfBytes content = cursor.take(padded(size));
        if (!cursor.ok()) break;
        if (type != NT_GNU_BUILD_ID || name != "GNU") continue;
        build_id.clear();
        for (const auto byte : content.first(size))
            build_id += fmt::format("{:02x}", static_cast<unsigned>(byte));
    }
    return build_id;
}

std::optional<ElfFile> parse_elf(std::span<const std::byte> bytes) {
    const auto sections = ElfSections::parse(bytes);
    if (!sections) return std::nullopt;
    return Parser(*sections).parse();
}

std::optional<std::uint64_t> offset_of_function(std::span<const std::byte> bytes,
                                                std::string_view name) {
    const auto sections = ElfSections::parse(bytes);
    if (!sections) return std::nullopt;
    return Parser(*sections).offset_of(name);
}

}  // namespace ringside::symbols
