#include "events/metrics.h"

#include <algorithm>
#include <iterator>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/error.h"
#include "base/text.h"

namespace ringside::events {

namespace {

bool is_for(std::string_view line, const std::vector<std::string>& lines) {
    return line == "any" || std::find(lines.begin(), lines.end(), line) != lines.end();
}

bool is_metric_name(std::string_view name) {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.';
    };
    return !name.empty() && !(name.front() >= '0' && name.front() <= '9') &&
           std::all_of(name.begin(), name.end(), fits) && name != seconds_name;
}

Result<Definition> define(std::string_view name, std::string_view formula, std::string_view unit,
                          std::string_view description) {
    if (!is_metric_name(name)) {
        return base::fail(ErrorCode::bad_input, "not a name for a metric: " + std::string(name));
    }
    auto expression = Expression::parse(formula);
    if (!expression) return expression.error();
    return Definition{std::string(name), std::string(formula), std::move(*expression),
                      std::string(unit), std::string(description)};
}

Result<Definition> parse_line(std::string_view line) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) {
        return base::fail(ErrorCode::bad_input, "a metric is NAME = EXPRESSION");
    }
    const auto fields = base::split(line.substr(equals + 1), ';');
    if (fields.size() > 3) return base::fail(ErrorCode::bad_input, "too many ';'");
    const auto field = [&](std::size_t i) {
        return i < fields.size() ? base::trim(fields[i]) : std::string_view{};
    };
    return define(base::trim(line.substr(0, equals)), field(0), field(1), field(2));
}

std::string_view built_in(std::string_view path) {
    const auto text = base::embedded_file(path);
    RINGSIDE_ASSERT(text.has_value());
    return *text;
}

}  // namespace

Result<std::vector<Definition>> parse_definitions(std::string_view text,
                                                  const std::vector<std::string>& lines) {
    std::vector<Definition> definitions;
    bool wanted = true;
    std::size_t number = 0;
    for (const auto whole : base::split_lines(text)) {
        ++number;
        const auto line = base::trim(whole.substr(0, whole.find('#')));
        if (line.empty()) continue;
        if (line.front() == '[' && line.back() == ']') {
            const auto names = base::split_words(line.substr(1, line.size() - 2));
            wanted = std::any_of(names.begin(), names.end(),
                                 [&](std::string_view name) { return is_for(name, lines); });
            continue;
        }
        auto definition = parse_line(line);
        if (!definition) {
            Error error = definition.error();
            error.what = "line " + std::to_string(number) + ": " + error.what;
            return error;
        }
        if (wanted) definitions.push_back(std::move(*definition));
    }
    return definitions;
}

std::vector<Definition> preset_definitions(const std::vector<std::string>& lines) {
    auto rows = base::parse_csv(built_in("events/presets.csv"));
    RINGSIDE_ASSERT(!rows.empty());
    rows.erase(rows.begin());
    std::vector<Definition> definitions;
    for (const auto& row : rows) {
        RINGSIDE_ASSERT(row.size() == 4);
        if (!is_for(row[1], lines)) continue;
        auto definition = define(row[0], row[2], {}, row[3]);
        RINGSIDE_ASSERT(definition.has_value());
        definitions.push_back(std::move(*definition));
    }
    return definitions;
}

std::vector<Definition> metric_definitions(const std::vector<std::string>& lines) {
    std::vector<Definition> definitions;
    for (const auto* file : {"events/metrics.txt", "events/topdown.txt"}) {
        auto more = parse_definitions(built_in(file), lines);
        RINGSIDE_ASSERT(more.has_value());
        std::move(more->begin(), more->end(), std::back_inserter(definitions));
    }
    return definitions;
}

}  // namespace ringside::events
