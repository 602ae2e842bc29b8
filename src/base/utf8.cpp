#include "base/utf8.h"

namespace ringside::base {

// RFC 3629, section 4.
std::size_t letter_bytes(std::string_view text) {
    if (text.empty()) return 0;
    const auto at = [&](std::size_t index) -> unsigned {
        return index < text.size() ? static_cast<unsigned char>(text[index]) : 0u;
    };
    const auto follows = [&](std::size_t index) { return (at(index) & 0xc0) == 0x80; };
    const unsigned first = at(0);
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first < 0xe0) return follows(1) ? 2 : 0;
    if (first >= 0xe0 && first < 0xf0) {
        const bool overlong = first == 0xe0 && at(1) < 0xa0;
        const bool surrogate = first == 0xed && at(1) >= 0xa0;
        return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
    }
    if (first < 0xf0 || first > 0xf4) return 0;
    const bool overlong = first == 0xf0 && at(1) < 0x90;
    const bool too_large = first == 0xf4 && at(1) >= 0x90;
    return follows(1) && follows(2) && follows(3) && !overlong && !too_large ? 4 : 0;
}

char32_t letter_value(std::string_view text, std::size_t bytes) {
    const auto first = static_cast<unsigned char>(text.front());
    if (bytes == 1) return first;
    char32_t value = first & (0xffu >> (bytes + 1));
    for (const char c : text.substr(1, bytes - 1)) {
        value = value << 6 | (static_cast<unsigned char>(c) & 0x3fu);
    }
    return value;
}

}  // namespace ringside::base
