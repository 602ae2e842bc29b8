// Bounds-checked reading of binary records in the machine's own byte order. A read past the end
// gives nullopt and leaves the position alone; nothing is ever read unaligned through a pointer.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace ringside::base {

class ByteReader {
  public:
    explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    std::size_t remaining() const { return bytes_.size() - at_; }

    template <typename T>
    std::optional<T> read() {
        static_assert(std::is_trivially_copyable_v<T>);
        if (remaining() < sizeof(T)) return std::nullopt;
        T value;
        std::memcpy(&value, bytes_.data() + at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }

    std::optional<std::span<const std::byte>> take(std::size_t count) {
        if (remaining() < count) return std::nullopt;
        const auto part = bytes_.subspan(at_, count);
        at_ += count;
        return part;
    }

    bool skip(std::size_t count) { return take(count).has_value(); }

  private:
    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
};

}  // namespace ringside::base
