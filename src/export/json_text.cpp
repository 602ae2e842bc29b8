#include "export/json_text.h"

namespace ringside::exports {

namespace {

// How many bytes the letter at the front takes; 0 if it is no UTF-8. RFC 3629, section 4.
std::size_t letter_bytes(std::string_view text) {
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

}  // namespace

std::string json_string(std::string_view text) {
    std::string result = "\"";
    while (!text.empty()) {
        const std::size_t bytes = letter_bytes(text);
        const auto letter = static_cast<unsigned char>(text.front());
        if (bytes == 0) {
            result += '?';
        } else if (letter == '"' || letter == '\\') {
            result += '\\';
            result += text.front();
        } else if (letter < 0x20) {
            result += fmt::format("\\u{:04x}", letter);
        } else {
            result += text.substr(0, bytes);
        }
        text.remove_prefix(bytes == 0 ? 1 : bytes);
    }
    return result + '"';
}

}  // namespace ringside::exports
