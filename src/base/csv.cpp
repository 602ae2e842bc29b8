#include "base/csv.h"

#include <algorithm>

#include "base/text.h"
#include "base/visible.h"

namespace ringside::base {

namespace {

// Takes the text between the quotes off the front of `rest`, and whatever stands before the comma.
std::string take_quoted(std::string_view& rest) {
    std::string field;
    std::size_t at = 1;
    while (at < rest.size()) {
        if (rest[at] != '"') {
            field += rest[at++];
        } else if (rest.substr(at, 2) == "\"\"") {
            field += '"';
            at += 2;
        } else {
            break;
        }
    }
    rest.remove_prefix(std::min(rest.find(',', at), rest.size()));
    return field;
}

std::string take_plain(std::string_view& rest) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    std::string field(trim(rest.substr(0, end)));
    rest.remove_prefix(end);
    return field;
}

std::vector<std::string> parse_row(std::string_view line) {
    std::vector<std::string> fields;
    for (std::string_view rest = line;; rest.remove_prefix(1)) {
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        fields.push_back(rest.starts_with('"') ? take_quoted(rest) : take_plain(rest));
        if (rest.empty()) return fields;
    }
}

}  // namespace

std::vector<std::vector<std::string>> parse_csv(std::string_view text) {
    std::vector<std::vector<std::string>> rows;
    for (const std::string_view line : split_lines(text)) {
        const std::string_view bare = trim(line);
        if (bare.empty() || bare.front() == '#') continue;
        rows.push_back(parse_row(bare));
    }
    return rows;
}

std::string csv_field(std::string_view name) {
    const std::string seen = visible(name);
    std::string_view text = seen;
    // A spreadsheet would take it for a formula, and execute it.
    constexpr std::string_view formula = "=+-@\t\r";
    std::string guarded;
    if (!text.empty() && formula.find(text.front()) != std::string_view::npos) {
        guarded = "'" + std::string(text);
        text = guarded;
    }
    const bool plain = text.find_first_of(",\"\r\n") == std::string_view::npos &&
                       !text.starts_with(' ') && !text.starts_with('#') && !text.ends_with(' ');
    if (plain) return std::string(text);
    std::string field = "\"";
    for (const char letter : text) {
        if (letter == '"') field += '"';
        field += letter == '\n' ? ' ' : letter;
    }
    return field + '"';
}

}  // namespace ringside::base
