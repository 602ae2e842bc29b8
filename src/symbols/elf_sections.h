// The skeleton of an ELF file: its sections and segments. Reads 32- and 64-bit files of both byte
// orders and distrusts every offset in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/field_cursor.h"

namespace ringside::symbols {

using ElfBytes = std::span<const std::byte>;

struct ElfSection {
    std::uint32_t name_at = 0;
    std::uint32_t type = 0;
    std::uint64_t flags = 0;
    std::uint64_t address = 0;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint32_t link = 0;
};

// A part of the file that is loaded.
struct ElfSegment {
    std::uint64_t file_offset = 0;
    std::uint64_t address = 0;
    std::uint64_t file_size = 0;
};

class ElfSections {
  public:
    // nullopt when it is no ELF file. `bytes` must outlive this.
    static std::optional<ElfSections> parse(ElfBytes bytes);

    bool wide() const { return wide_; }
    base::ByteOrder order() const { return order_; }
    std::uint64_t file_bytes() const { return bytes_.size(); }
    std::uint16_t machine() const { return machine_; }  // EM_*
    const std::vector<ElfSection>& sections() const { return sections_; }
    const std::vector<ElfSegment>& segments() const { return segments_; }

    std::string_view name(const ElfSection& section) const;
    // Empty for sections that take no place in the file, or that lie outside of it.
    ElfBytes content(const ElfSection& section) const;
    const ElfSection* find(std::string_view name) const;
    // The content of `name`; decompressed into `storage` if need be.
    ElfBytes unpacked(std::string_view name, std::vector<std::byte>& storage) const;

    // An address or offset: 4 or 8 bytes, as the file is.
    std::uint64_t native(base::FieldCursor& cursor) const {
        return wide_ ? cursor.u64() : cursor.u32();
    }
    static std::string_view text_at(ElfBytes strings, std::uint64_t at);

  private:
    ElfSections(ElfBytes bytes, bool wide, base::ByteOrder order)
        : bytes_(bytes), wide_(wide), order_(order) {}

    void read_headers();
    void read_segment(ElfBytes bytes);
    ElfSection section_header(ElfBytes bytes) const;
    ElfBytes part(std::uint64_t offset, std::uint64_t size) const;

    ElfBytes bytes_;
    bool wide_;
    base::ByteOrder order_;
    std::uint16_t machine_ = 0;
    std::vector<ElfSection> sections_;
    std::vector<ElfSegment> segments_;
    ElfBytes section_names_;
    mutable std::uint64_t unpacked_left_ = 0;  // of all sections, which may lie at one place
};

}  // namespace ringside::symbols
