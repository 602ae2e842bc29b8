// Reading fields of a binary file or a ring buffer: bounds-checked, in the byte order of the
// machine that wrote them. A read past the end gives 0 and marks the cursor as failed, so that a
// decoder reads straight through and asks once, at its end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace ringside::base {

enum class ByteOrder : bool { same, swapped };

inline std::uint64_t swap_bytes(std::uint64_t value) {
    return __builtin_bswap64(value);
}
inline std::uint32_t swap_bytes(std::uint32_t value) {
    return __builtin_bswap32(value);
}
inline std::uint16_t swap_bytes(std::uint16_t value) {
    return __builtin_bswap16(value);
}
inline std::uint8_t swap_bytes(std::uint8_t value) {
    return value;
}

class FieldCursor {
  public:
    explicit FieldCursor(std::span<const std::byte> bytes, ByteOrder order = ByteOrder::same)
        : at_(bytes.data()), end_(bytes.data() + bytes.size()), order_(order) {}

    template <typename T>
    T read() {
        static_assert(std::is_unsigned_v<T>);
        T value = 0;
        if (remaining() < sizeof(T)) {
            fail();
            return value;
        }
        std::memcpy(&value, at_, sizeof(T));
        at_ += sizeof(T);
        return order_ == ByteOrder::same ? value : swap_bytes(value);
    }
    std::uint64_t u64() { return read<std::uint64_t>(); }
    std::uint32_t u32() { return read<std::uint32_t>(); }
    std::uint16_t u16() { return read<std::uint16_t>(); }

    // Raw bytes, not swapped; empty if there are not so many.
    std::span<const std::byte> take(std::uint64_t count) {
        if (count > remaining()) {
            fail();
            return {};
        }
        const std::span<const std::byte> part(at_, static_cast<std::size_t>(count));
        at_ += count;
        return part;
    }
    void skip(std::uint64_t count) { take(count); }

    // Up to the first NUL of what remains, which is consumed whole.
    std::string_view text() { return text_in(take(remaining())); }
    static std::string_view text_in(std::span<const std::byte> bytes) {
        if (bytes.empty()) return {};
        const auto* begin = reinterpret_cast<const char*>(bytes.data());
        return {begin, ::strnlen(begin, bytes.size())};
    }

    std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }
    bool ok() const { return !failed_; }
    ByteOrder order() const { return order_; }

  private:
    void fail() {
        failed_ = true;
        at_ = end_;
    }

    const std::byte* at_;
    const std::byte* end_;
    ByteOrder order_;
    bool failed_ = false;
};

}  // namespace ringside::base
