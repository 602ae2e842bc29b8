#include "base/visible.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/utf8.h"

namespace ringside::base {

namespace {

struct Range {
    char32_t first;
    char32_t last;
};

// Controls, letters without width, separators of lines, marks of direction, tags.
constexpr std::array<Range, 10> unseen{{{0x00, 0x1f},
                                        {0x7f, 0x9f},
                                        {0xad, 0xad},
                                        {0x61c, 0x61c},
                                        {0x180e, 0x180e},
                                        {0x200b, 0x200f},
                                        {0x2028, 0x202e},
                                        {0x2060, 0x206f},
                                        {0xfeff, 0xfeff},
                                        {0xe0000, 0xe0fff}}};

// Plain ASCII, which most text is, needs no decoding.
bool is_plain(char c) {
    return c >= ' ' && c <= '~';
}

std::string written_out(char32_t letter) {
    constexpr char32_t one_byte = 0x100;
    constexpr char32_t two_bytes = 0x10000;
    if (letter == '\n') return "\\n";
    if (letter == '\t') return "\\t";
    const auto value = static_cast<std::uint32_t>(letter);
    if (letter < one_byte) return fmt::format("\\x{:02x}", value);
    return letter < two_bytes ? fmt::format("\\u{:04x}", value) : fmt::format("\\U{:08x}", value);
}

// One letter, or a byte that is none, from the front.
struct Piece {
    std::size_t bytes;
    char32_t value;
    bool seen;
};

Piece first_of(std::string_view text) {
    const std::size_t bytes = letter_bytes(text);
    if (bytes == 0) return {1, static_cast<unsigned char>(text.front()), false};
    const char32_t value = letter_value(text, bytes);
    return {bytes, value, is_seen(value)};
}

}  // namespace

bool is_seen(char32_t letter) {
    return std::none_of(unseen.begin(), unseen.end(), [letter](const Range& range) {
        return letter >= range.first && letter <= range.last;
    });
}

bool is_visible(std::string_view text) {
    while (!text.empty()) {
        if (is_plain(text.front())) {
            text.remove_prefix(1);
            continue;
        }
        const Piece piece = first_of(text);
        if (!piece.seen) return false;
        text.remove_prefix(piece.bytes);
    }
    return true;
}

std::string valid_utf8(std::string_view text) {
    std::string valid;
    valid.reserve(text.size());
    while (!text.empty()) {
        const std::size_t bytes = letter_bytes(text);
        if (bytes == 0) {
            valid += written_out(static_cast<unsigned char>(text.front()));
        } else {
            valid += text.substr(0, bytes);
        }
        text.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
    return valid;
}

std::string visible(std::string_view text) {
    if (is_visible(text)) return std::string(text);
    std::string shown;
    shown.reserve(2 * text.size());
    while (!text.empty()) {
        const Piece piece = first_of(text);
        if (piece.seen) {
            shown += text.substr(0, piece.bytes);
        } else {
            shown += written_out(piece.value);
        }
        text.remove_prefix(piece.bytes);
    }
    return shown;
}

}  // namespace ringside::base
