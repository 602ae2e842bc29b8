// Builds binary records and sections in this machine's byte order: the counterpart of FieldCursor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ringside::base {

class ByteWriter {
  public:
    template <typename T>
    ByteWriter& add(T value) {
        static_assert(std::is_trivially_copyable_v<T>);
        return raw(std::as_bytes(std::span(&value, 1)));
    }
    ByteWriter& u64(std::uint64_t value) { return add(value); }
    ByteWriter& u32(std::uint32_t value) { return add(value); }
    ByteWriter& u16(std::uint16_t value) { return add(value); }
    ByteWriter& raw(std::span<const std::byte> bytes);
    ByteWriter& raw(std::string_view text) { return raw(std::as_bytes(std::span(text))); }
    ByteWriter& zeros(std::size_t count) {
        bytes_.resize(bytes_.size() + count);
        return *this;
    }
    // With its NUL, filled up to a multiple of `unit`.
    ByteWriter& text(std::string_view text, std::size_t unit = 8) {
        raw(text);
        return zeros(unit - text.size() % unit);
    }
    // Replaces what was written at `at`.
    template <typename T>
    void put(std::size_t at, T value) {
        std::memcpy(bytes_.data() + at, &value, sizeof value);
    }

    std::size_t size() const { return bytes_.size(); }
    bool empty() const { return bytes_.empty(); }
    void clear() { bytes_.clear(); }
    std::span<const std::byte> bytes() const { return bytes_; }
    std::vector<std::byte> take() && { return std::move(bytes_); }

  private:
    std::vector<std::byte> bytes_;
};

}  // namespace ringside::base
