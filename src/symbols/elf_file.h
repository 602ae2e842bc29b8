// What symbolizing needs of an ELF file: its functions, how file offsets become addresses, its
// build-id and where its debug information may lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/elf_sections.h"
#include "symbols/symbol_table.h"

namespace ringside::symbols {

struct ElfFile {
    std::string build_id;     // hexadecimal, or empty
    std::string debug_link;   // a file name, or empty
    bool has_symtab = false;  // the full table, not only what the linker needs
    bool has_debug_info = false;
    std::vector<ElfSegment> segments;
    SymbolTable functions;
};

// The address, as symbols and debug information count, of a byte of the file.
std::uint64_t address_of_offset(std::span<const ElfSegment> segments, std::uint64_t file_offset);

// The build-id in a list of notes, hexadecimal, or empty.
std::string build_id_in(std::span<const std::byte> notes, base::ByteOrder order);

// nullopt when it is no ELF file. Damaged parts are left out.
std::optional<ElfFile> parse_elf(std::span<const std::byte> bytes);

// Where in the file the function of this name begins; a function may have several names, all are
// known here. nullopt when there is none, or it is no ELF file.
std::optional<std::uint64_t> offset_of_function(std::span<const std::byte> bytes,
                                                std::string_view name);

}  // namespace ringside::symbols
