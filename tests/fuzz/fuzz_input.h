// The bytes libFuzzer gives, as the text our readers take, and checks that end the run when a
// reader breaks its promise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"

namespace ringside::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

// Takes the text up to the next `separator` off the front of `rest`.
inline std::string_view take_part(std::string_view& rest, char separator) {
    const auto end = rest.find(separator);
    const auto part = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return part;
}

}  // namespace ringside::fuzz
