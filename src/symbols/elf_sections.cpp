#include "symbols/elf_sections.h"

#include <algorithm>

#include <elf.h>
#include <zlib.h>
#include <zstd.h>

namespace ringside::symbols {

namespace {

using base::ByteOrder;
using base::FieldCursor;

constexpr std::uint32_t compressed_with_zstd = 2;  // ELFCOMPRESS_ZSTD, newer than our elf.h
// No file's debug information compresses better than this; one made to exhaust memory does.
constexpr std::uint64_t most_compression = 32;

bool inflate_all(std::uint32_t kind, ElfBytes packed, std::vector<std::byte>& out) {
    if (kind == compressed_with_zstd)
        return ::ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size()) ==
               out.size();
    if (kind != ELFCOMPRESS_ZLIB) return false;
    uLongf size = out.size();
    return ::uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                        reinterpret_cast<const Bytef*>(packed.data()), packed.size()) == Z_OK &&
           size == out.size();
}

}  // namespace

std::optional<ElfSections> ElfSections::parse(ElfBytes bytes) {
    const auto at = [&](std::size_t index) { return static_cast<unsigned char>(bytes[index]); };
    if (bytes.size() < EI_NIDENT || at(0) != ELFMAG0 || at(1) != ELFMAG1 || at(2) != ELFMAG2 ||
        at(3) != ELFMAG3)
        return std::nullopt;
    const bool little = at(EI_DATA) == ELFDATA2LSB;
    const bool same = little == (std::endian::native == std::endian::little);
    ElfSections file(bytes, at(EI_CLASS) == ELFCLASS64,
                     same ? ByteOrder::same : ByteOrder::swapped);
    file.unpacked_left_ = most_compression * bytes.size();
    file.read_headers();
    return file;
}

ElfBytes ElfSections::part(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) return {};
    return bytes_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

ElfBytes ElfSections::content(const ElfSection& section) const {
    return section.type == SHT_NOBITS ? ElfBytes{} : part(section.offset, section.size);
}

// Names may share their ends, so that all of them together are longer than the table.
std::string_view ElfSections::text_at(ElfBytes strings, std::uint64_t at) {
    constexpr std::size_t longest = std::size_t{64} << 10;
    if (at >= strings.size()) return {};
    const auto rest = strings.subspan(static_cast<std::size_t>(at));
    return FieldCursor::text_in(rest.first(std::min(rest.size(), longest)));
}

std::string_view ElfSections::name(const ElfSection& section) const {
    return text_at(section_names_, section.name_at);
}

const ElfSection* ElfSections::find(std::string_view wanted) const {
    const auto is_called = [&](const ElfSection& section) {
        const ElfBytes rest =
            section_names_.subspan(std::min<std::size_t>(section.name_at, section_names_.size()));
        return FieldCursor::text_in(rest.first(std::min(rest.size(), wanted.size() + 1))) == wanted;
    };
    const auto found = std::find_if(sections_.begin(), sections_.end(), is_called);
    return found == sections_.end() ? nullptr : &*found;
}

ElfBytes ElfSections::unpacked(std::string_view wanted, std::vector<std::byte>& storage) const {
    const ElfSection* section = find(wanted);
    if (section == nullptr) return {};
    const ElfBytes bytes = content(*section);
    if ((section->flags & SHF_COMPRESSED) == 0) return bytes;
    FieldCursor cursor(bytes, order_);
    const std::uint32_t kind = cursor.u32();
    if (wide_) cursor.u32();  // reserved
    const std::uint64_t size = native(cursor);
    native(cursor);  // alignment
    if (!cursor.ok() || size > unpacked_left_) return {};
    unpacked_left_ -= size;
    storage.resize(static_cast<std::size_t>(size));
    if (!inflate_all(kind, cursor.take(cursor.remaining()), storage)) storage.clear();
    return storage;
}

void ElfSections::read_headers() {
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
        const ElfBytes header = part(sections_at + i * section_bytes, section_bytes);
        if (header.empty()) break;
        sections_.push_back(section_header(header));
    }
    if (names < sections_.size()) section_names_ = content(sections_[names]);
}

void ElfSections::read_segment(ElfBytes bytes) {
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

ElfSection ElfSections::section_header(ElfBytes bytes) const {
    FieldCursor cursor(bytes, order_);
    ElfSection section;
    section.name_at = cursor.u32();
    section.type = cursor.u32();
    section.flags = native(cursor);
    section.address = native(cursor);
    section.offset = native(cursor);
    section.size = native(cursor);
    section.link = cursor.u32();
    return cursor.ok() ? section : ElfSection{};
}

}  // namespace ringside::symbols
