// Into the fixed fields of C structs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace ringside::papi {

// Cut to what the field holds, always ended by a NUL.
template <std::size_t size>
void copy_text(char (&field)[size], std::string_view text) {
    const std::size_t length = std::min(text.size(), size - 1);
    std::memcpy(field, text.data(), length);
    std::memset(field + length, 0, size - length);
}

}  // namespace ringside::papi
