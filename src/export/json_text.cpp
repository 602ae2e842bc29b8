#include "export/json_text.h"

#include "base/text.h"

namespace ringside::exports {

std::string json_string(std::string_view text) {
    std::string result = "\"";
    while (!text.empty()) {
        const std::size_t bytes = base::utf8_bytes(text);
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
