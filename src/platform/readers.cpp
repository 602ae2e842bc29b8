#include "platform/readers.h"

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace ringside::platform {

namespace {

constexpr std::size_t max_shown = 160;

bool is_control(char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
}

}  // namespace

bool printable(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) {
        return is_control(c) || static_cast<unsigned char>(c) >= 0x80;
    });
}

std::string shown(std::string_view text) {
    std::string line(text.substr(0, max_shown));
    std::replace_if(
        line.begin(), line.end(),
        [](char c) { return is_control(c) || static_cast<unsigned char>(c) >= 0x80; }, '?');
    if (text.size() > max_shown) line += "...";
    return line;
}

Fact<std::string> read_line(const base::SysRoot& root, const std::string& path) {
    const auto text = root.read_trimmed(path);
    if (!text) return unknown<std::string>(path, text.error().what);
    if (text->empty()) return unknown<std::string>(path, "is empty");
    if (!printable(*text)) return unknown<std::string>(path, "is not text: " + shown(*text));
    return known(*text, path, shown(*text));
}

Fact<int> read_int(const base::SysRoot& root, const std::string& path) {
    const auto line = read_line(root, path);
    if (!line.value) return {std::nullopt, line.evidence};
    const auto number = base::parse_i64(*line.value);
    if (!number || *number > std::numeric_limits<int>::max() ||
        *number < std::numeric_limits<int>::min()) {
        return unknown<int>(path, "is not a number we know: " + line.evidence.text);
    }
    return {static_cast<int>(*number), line.evidence};
}

Fact<bool> read_switch(const base::SysRoot& root, const std::string& path) {
    const auto line = read_line(root, path);
    if (!line.value) return {std::nullopt, line.evidence};
    if (*line.value == "Y" || *line.value == "1") return {true, line.evidence};
    if (*line.value == "N" || *line.value == "0") return {false, line.evidence};
    return unknown<bool>(path, "is neither yes nor no: " + line.evidence.text);
}

}  // namespace ringside::platform
