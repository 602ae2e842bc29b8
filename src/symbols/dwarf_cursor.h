// Reading DWARF's own encodings, bounds-checked like FieldCursor, which it is.
#pragma once

#include "base/field_cursor.h"

namespace ringside::symbols {

using DwarfBytes = std::span<const std::byte>;

class DwarfCursor : public base::FieldCursor {
  public:
    // At `offset` of `bytes`; at their end, failed, if that lies outside.
    DwarfCursor(DwarfBytes bytes, std::uint64_t offset, base::ByteOrder order)
        : FieldCursor(bytes, order), whole_(bytes.size()) {
        skip(offset);
    }

    std::uint64_t offset() const { return whole_ - remaining(); }
    std::uint8_t u8() { return read<std::uint8_t>(); }

    // Numbers of 7 bits a byte (LEB128). More than 64 bits are cut off.
    std::uint64_t uleb() {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const std::uint8_t byte = u8();
            if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
            if ((byte & 0x80) == 0) return value;
        }
    }
    std::int64_t sleb() {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const std::uint8_t byte = u8();
            if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
            if ((byte & 0x80) != 0) continue;
            const bool negative = (byte & 0x40) != 0;
            if (negative && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
            return static_cast<std::int64_t>(value);
        }
    }
    // 1 to 8 bytes.
    std::uint64_t sized(std::uint64_t bytes) {
        switch (bytes) {
            case 1:
                return u8();
            case 2:
                return u16();
            case 4:
                return u32();
            case 8:
                return u64();
            case 3: {
                const std::uint64_t low = u8();
                const std::uint64_t middle = u8();
                const std::uint64_t high = u8();
                return order() == base::ByteOrder::same ? low | middle << 8 | high << 16
                                                        : high | middle << 8 | low << 16;
            }
            default:
                skip(remaining() + 1);
                return 0;
        }
    }
    // Up to a NUL, which is consumed.
    std::string_view string() {
        DwarfCursor ahead = *this;
        const std::string_view text = ahead.text();
        skip(text.size() + 1);
        return text;
    }

  private:
    std::uint64_t whole_;
};

}  // namespace ringside::symbols
