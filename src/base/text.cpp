#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace ringside::base {

namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";
constexpr std::size_t max_cpu_list = 65536;

template <typename Int>
std::optional<Int> parse_whole(std::string_view text, int base) {
    Int value{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, base);
    if (error != std::errc{} || stop != end || text.empty()) return std::nullopt;
    return value;
}

}  // namespace

std::string_view trim_end(std::string_view text) {
    while (!text.empty() &&
           (text.back() == '\0' || blanks.find(text.back()) != std::string_view::npos)) {
        text.remove_suffix(1);
    }
    return text;
}

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return trim_end(text.substr(first));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> fields;
    while (true) {
        const auto at = text.find(separator);
        fields.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return fields;
        text.remove_prefix(at + 1);
    }
}

std::vector<std::string_view> split_words(std::string_view text) {
    std::vector<std::string_view> words;
    std::size_t at = 0;
    while ((at = text.find_first_not_of(blanks, at)) != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

std::vector<std::string_view> split_lines(std::string_view text) {
    if (text.empty()) return {};
    if (text.back() == '\n') text.remove_suffix(1);
    auto lines = split(text, '\n');
    for (auto& line : lines) {
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    }
    return lines;
}

std::optional<std::uint64_t> parse_u64(std::string_view text, int base) {
    if (base == 16 && (text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X")) {
        text.remove_prefix(2);
    }
    return parse_whole<std::uint64_t>(text, base);
}

std::optional<std::int64_t> parse_i64(std::string_view text) {
    return parse_whole<std::int64_t>(text, 10);
}

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
    std::vector<int> cpus;
    text = trim(text);
    if (text.empty()) return cpus;
    for (const auto part : split(text, ',')) {
        const auto dash = part.find('-');
        const auto first = parse_u64(part.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : parse_u64(part.substr(dash + 1));
        if (!first || !last || *last < *first || *last >= max_cpu_list) return std::nullopt;
        if (cpus.size() + (*last - *first) >= max_cpu_list) return std::nullopt;
        for (auto cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
    }
    return cpus;
}

std::optional<std::string_view> find_field(std::string_view text, std::string_view key) {
    for (const auto line : split_lines(text)) {
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        if (trim(line.substr(0, colon)) == key) return trim(line.substr(colon + 1));
    }
    return std::nullopt;
}

std::optional<std::string_view> behind_task_name(std::string_view stat) {
    const auto end_of_name = stat.rfind(')');
    if (end_of_name == std::string_view::npos) return std::nullopt;
    return stat.substr(end_of_name + 1);
}

std::string to_lower(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

}  // namespace ringside::base
