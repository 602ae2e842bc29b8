// Writing protocol buffers: fields one after the other, no library, no schema compiler.
// https://protobuf.dev/programming-guides/encoding
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ringside::exports {

class Protobuf {
  public:
    // A number that is 0 is not written: readers take that for the value of what is missing.
    Protobuf& number(std::uint32_t field, std::uint64_t value) {
        if (value == 0) return *this;
        tag(field, 0);
        varint(value);
        return *this;
    }
    Protobuf& text(std::uint32_t field, std::string_view value) {
        tag(field, 2);
        varint(value.size());
        bytes_ += value;
        return *this;
    }
    Protobuf& message(std::uint32_t field, const Protobuf& value) {
        return text(field, value.bytes_);
    }
    Protobuf& numbers(std::uint32_t field, std::span<const std::uint64_t> values) {
        Protobuf packed;
        for (const auto value : values) packed.varint(value);
        return message(field, packed);
    }
    const std::string& bytes() const { return bytes_; }

  private:
    void tag(std::uint32_t field, std::uint32_t wire_type) { varint(field << 3u | wire_type); }
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7u) bytes_ += static_cast<char>(value | 0x80);
        bytes_ += static_cast<char>(value);
    }

    std::string bytes_;
};

}  // namespace ringside::exports
