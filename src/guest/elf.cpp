#include "guest/elf.h"

#include <cstring>
#include <string_view>

#include <elf.h>

#include "base/byte_reader.h"
#include "base/error.h"
#include "base/text.h"

namespace ringside::guest {

namespace {

using Bytes = std::span<const std::byte>;

Error broken(std::string_view what) {
    return base::fail(ErrorCode::bad_input, "broken ELF file: " + std::string(what));
}

std::optional<Bytes> slice(Bytes file, std::uint64_t offset, std::uint64_t size) {
    if (offset > file.size() || size > file.size() - offset) return std::nullopt;
    return file.subspan(offset, size);
}

template <typename T>
std::optional<T> record_at(Bytes file, std::uint64_t offset) {
    const auto part = slice(file, offset, sizeof(T));
    if (!part) return std::nullopt;
    return base::ByteReader(*part).read<T>();
}

// Reads `count` records `stride` bytes apart. The count is 16 bits in the file, so it is bounded.
template <typename T>
std::optional<std::vector<T>> table(Bytes file, std::uint64_t offset, std::uint64_t stride,
                                    std::uint64_t count) {
    std::vector<T> records;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (offset > file.size()) return std::nullopt;
        const auto record = record_at<T>(file, offset + i * stride);
        if (!record) return std::nullopt;
        records.push_back(*record);
    }
    return records;
}

std::string_view text_of(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The string that starts at `offset` and ends in NUL inside `strings`.
std::optional<std::string> string_at(Bytes strings, std::uint64_t offset) {
    if (offset >= strings.size()) return std::nullopt;
    const auto rest = text_of(strings.subspan(offset));
    const auto end = rest.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    return std::string(rest.substr(0, end));
}

bool is_elf(Bytes file) {
    return file.size() >= EI_NIDENT && std::memcmp(file.data(), ELFMAG, SELFMAG) == 0;
}

bool is_supported(Bytes file) {
    return file[EI_CLASS] == std::byte{ELFCLASS64} && file[EI_DATA] == std::byte{ELFDATA2LSB};
}

std::optional<std::uint64_t> file_offset(const std::vector<Elf64_Phdr>& segments,
                                         std::uint64_t address) {
    for (const auto& segment : segments) {
        if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
        if (address - segment.p_vaddr < segment.p_filesz) {
            return address - segment.p_vaddr + segment.p_offset;
        }
    }
    return std::nullopt;
}

Result<std::vector<std::string>> needed_names(Bytes file, Bytes dynamic,
                                              const std::vector<Elf64_Phdr>& segments) {
    std::vector<std::uint64_t> name_offsets;
    std::uint64_t strings_address = 0;
    std::uint64_t strings_size = 0;
    base::ByteReader reader(dynamic);
    while (const auto entry = reader.read<Elf64_Dyn>()) {
        if (entry->d_tag == DT_NULL) break;
        if (entry->d_tag == DT_NEEDED) name_offsets.push_back(entry->d_un.d_val);
        if (entry->d_tag == DT_STRTAB) strings_address = entry->d_un.d_ptr;
        if (entry->d_tag == DT_STRSZ) strings_size = entry->d_un.d_val;
    }
    std::vector<std::string> names;
    if (name_offsets.empty()) return names;
    const auto offset = file_offset(segments, strings_address);
    const auto strings = offset ? slice(file, *offset, strings_size) : std::nullopt;
    if (!strings) return broken("its dynamic strings are not in it");
    for (const auto name_offset : name_offsets) {
        auto name = string_at(*strings, name_offset);
        if (!name) return broken("the name of a needed library is not in it");
        names.push_back(std::move(*name));
    }
    return names;
}

}  // namespace

Result<std::optional<ElfFacts>> read_elf(Bytes file) {
    if (!is_elf(file)) return std::optional<ElfFacts>{};
    if (!is_supported(file)) return base::fail(ErrorCode::unsupported, "not a 64-bit ELF file");
    const auto header = record_at<Elf64_Ehdr>(file, 0);
    if (!header) return broken("its header is cut");
    const auto segments =
        table<Elf64_Phdr>(file, header->e_phoff, header->e_phentsize, header->e_phnum);
    if (!segments) return broken("its program headers are not in it");
    ElfFacts facts;
    facts.machine = header->e_machine;
    for (const auto& segment : *segments) {
        if (segment.p_type != PT_INTERP && segment.p_type != PT_DYNAMIC) continue;
        const auto content = slice(file, segment.p_offset, segment.p_filesz);
        if (!content) return broken("a segment is not in it");
        if (segment.p_type == PT_INTERP) {
            facts.interpreter = string_at(*content, 0).value_or("");
        } else {
            auto names = needed_names(file, *content, *segments);
            if (!names) return names.error();
            facts.needed = std::move(*names);
        }
    }
    return std::optional(std::move(facts));
}

Result<std::vector<std::string>> module_depends(Bytes file) {
    if (!is_elf(file) || !is_supported(file)) return broken("not a kernel module");
    const auto header = record_at<Elf64_Ehdr>(file, 0);
    if (!header) return broken("its header is cut");
    const auto sections =
        table<Elf64_Shdr>(file, header->e_shoff, header->e_shentsize, header->e_shnum);
    if (!sections || header->e_shstrndx >= sections->size()) return broken("it has no sections");
    const auto& names = (*sections)[header->e_shstrndx];
    const auto name_bytes = slice(file, names.sh_offset, names.sh_size);
    if (!name_bytes) return broken("its section names are not in it");
    std::vector<std::string> depends;
    for (const auto& section : *sections) {
        if (string_at(*name_bytes, section.sh_name) != ".modinfo") continue;
        const auto content = slice(file, section.sh_offset, section.sh_size);
        if (!content) return broken("its .modinfo is not in it");
        for (auto field : base::split(text_of(*content), '\0')) {
            constexpr std::string_view key = "depends=";
            if (!field.starts_with(key)) continue;
            field.remove_prefix(key.size());
            for (const auto name : base::split(field, ',')) {
                if (!name.empty()) depends.emplace_back(name);
            }
        }
    }
    return depends;
}

}  // namespace ringside::guest
