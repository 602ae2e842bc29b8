#include "render/xml_text.h"

#include "base/utf8.h"
#include "base/visible.h"

namespace ringside::render {

namespace {

constexpr std::string_view replacement = "\uFFFD";

std::string_view entity(char letter) {
    switch (letter) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        default:
            return {};
    }
}

// U+FFFE and U+FFFF are UTF-8 and no characters of XML. What a reader does not see might make one
// name look like another.
bool is_allowed(std::string_view letter) {
    if (letter == "\t" || letter == "\n") return true;
    const char32_t value = base::letter_value(letter, letter.size());
    return base::is_seen(value) && value != 0xfffe && value != 0xffff;
}

}  // namespace

std::string xml_text(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::size_t bytes = base::letter_bytes(text);
        const std::string_view letter = text.substr(0, bytes == 0 ? 1 : bytes);
        const std::string_view named = entity(letter.front());
        if (bytes == 0 || !is_allowed(letter)) {
            result += replacement;
        } else {
            result += named.empty() ? letter : named;
        }
        text.remove_prefix(letter.size());
    }
    return result;
}

std::string_view cut_text(std::string_view text, std::size_t most) {
    std::size_t at = 0;
    for (std::size_t letters = 0; at < text.size() && letters < most; ++letters) {
        const std::size_t bytes = base::letter_bytes(text.substr(at));
        at += bytes == 0 ? 1 : bytes;
    }
    return text.substr(0, at);
}

}  // namespace ringside::render
