#include "symbols/build_id.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>

#include "base/fd.h"
#include "base/field_cursor.h"

namespace ringside::symbols {

namespace {

using base::FieldCursor;

// More program headers, or longer notes, no linker makes.
constexpr std::size_t most_headers = 64;
constexpr std::size_t most_note_bytes = 4096;

template <typename T>
bool read_object(int fd, std::uint64_t offset, T& out) {
    return ::pread(fd, &out, sizeof out, static_cast<off_t>(offset)) ==
           static_cast<ssize_t>(sizeof out);
}

template <typename Header, typename Segment>
std::string find_note(int fd) {
    Header header;
    if (!read_object(fd, 0, header) || header.e_phentsize != sizeof(Segment)) return {};
    for (std::size_t i = 0; i < std::min<std::size_t>(header.e_phnum, most_headers); ++i) {
        Segment segment;
        if (!read_object(fd, header.e_phoff + i * sizeof segment, segment)) return {};
        if (segment.p_type != PT_NOTE) continue;
        std::vector<std::byte> notes(std::min<std::size_t>(segment.p_filesz, most_note_bytes));
        const ssize_t got =
            ::pread(fd, notes.data(), notes.size(), static_cast<off_t>(segment.p_offset));
        if (got <= 0) return {};
        auto id = build_id_in_notes(std::span(notes).first(static_cast<std::size_t>(got)));
        if (!id.empty()) return id;
    }
    return {};
}

}  // namespace

std::string build_id_in_notes(std::span<const std::byte> notes) {
    FieldCursor cursor(notes);
    const auto padded = [](std::uint32_t size) { return (std::uint64_t{size} + 3) / 4 * 4; };
    while (cursor.remaining() >= sizeof(Elf64_Nhdr)) {
        const std::uint32_t name_bytes = cursor.u32();
        const std::uint32_t size = cursor.u32();
        const std::uint32_t type = cursor.u32();
        const auto name = FieldCursor::text_in(cursor.take(padded(name_bytes)));
        const auto content = cursor.take(padded(size));
        if (!cursor.ok()) break;
        if (type != NT_GNU_BUILD_ID || name != "GNU") continue;
        std::string text;
        for (const auto byte : content.first(size))
            text += fmt::format("{:02x}", static_cast<unsigned>(byte));
        return text;
    }
    return {};
}

std::string read_build_id(const std::string& path) {
    const base::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    std::array<unsigned char, EI_NIDENT> ident{};
    if (!fd || !read_object(fd.get(), 0, ident) ||
        std::memcmp(ident.data(), ELFMAG, SELFMAG) != 0 || ident[EI_DATA] != ELFDATA2LSB)
        return {};
    return ident[EI_CLASS] == ELFCLASS64 ? find_note<Elf64_Ehdr, Elf64_Phdr>(fd.get())
                                         : find_note<Elf32_Ehdr, Elf32_Phdr>(fd.get());
}

}  // namespace ringside::symbols
