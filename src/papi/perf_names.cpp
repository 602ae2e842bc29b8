#include "papi/perf_names.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/text.h"

namespace ringside::papi {

namespace {

struct KernelName {
    std::string constant;
    std::string name;
};

const std::vector<KernelName>& kernel_names() {
    static const std::vector<KernelName> table = [] {
        const auto text = base::embedded_file("papi/kernel_names.csv");
        RINGSIDE_ASSERT(text.has_value());
        std::vector<KernelName> rows;
        for (const auto& row : base::parse_csv(*text)) {
            if (row.size() == 2 && row[0] != "constant") rows.push_back({row[0], row[1]});
        }
        return rows;
    }();
    return table;
}

bool same(std::string_view one, std::string_view other) {
    return one.size() == other.size() &&
           std::equal(one.begin(), one.end(), other.begin(), [](char a, char b) {
               return std::tolower(static_cast<unsigned char>(a)) ==
                      std::tolower(static_cast<unsigned char>(b));
           });
}

constexpr std::string_view perf_prefix = "perf::";
constexpr std::string_view raw_prefix = "perf_raw::";

// An event, and what follows it between colons: unit masks, and attributes with or without
// "=value".
struct Parts {
    std::string name;
    std::string modifiers;  // perf's letters
    bool understood = true;
};

bool is_mask(std::string_view word) {
    return std::any_of(word.begin(), word.end(),
                       [](char c) { return std::isupper(static_cast<unsigned char>(c)); });
}

// Attributes that are off change nothing; those on are perf's letters, or not to be had.
void take_attribute(std::string_view word, Parts& parts) {
    const auto equals = word.find('=');
    const auto name = word.substr(0, equals);
    const auto value = equals == std::string_view::npos ? "1" : word.substr(equals + 1);
    if (value == "0") return;
    if (name == "u" || name == "k" || name == "h") {
        parts.modifiers += name;
    } else if (name == "mg") {
        parts.modifiers += 'G';
    } else if (name == "mh") {
        parts.modifiers += 'H';
    } else if (name == "pinned") {
        parts.modifiers += 'D';
    } else if (name == "precise") {
        parts.modifiers += std::string(value == "2" ? 2 : value == "3" ? 3 : 1, 'p');
    } else {
        parts.understood = false;
    }
}

Parts take_apart(std::string_view event) {
    Parts parts;
    bool first = true;
    for (const auto word : base::split(event, ':')) {
        if (first || is_mask(word)) {
            if (!first) parts.name += ':';
            parts.name += word;
        } else {
            take_attribute(word, parts);
        }
        first = false;
    }
    return parts;
}

std::string perf_name_of(const std::string& name) {
    for (const auto& row : kernel_names()) {
        if (same(name, row.constant) || same(name, row.name)) return row.name;
    }
    return base::to_lower(name);
}

}  // namespace

std::optional<std::string> to_perf_name(std::string_view papi_name) {
    const bool perf = papi_name.starts_with(perf_prefix);
    const bool raw = papi_name.starts_with(raw_prefix);
    if (!perf && !raw && papi_name.find("::") != std::string_view::npos) {
        return std::string(papi_name);
    }
    if (perf) papi_name.remove_prefix(perf_prefix.size());
    if (raw) papi_name.remove_prefix(raw_prefix.size());
    const Parts parts = take_apart(papi_name);
    if (!parts.understood) return std::nullopt;
    std::string name = raw ? base::to_lower(parts.name) : perf_name_of(parts.name);
    if (!parts.modifiers.empty()) name += ":" + parts.modifiers;
    return name;
}

std::string to_papi_name(std::string_view perf_name) {
    if (kernel_constant(perf_name).empty()) return std::string(perf_name);
    std::string name(perf_prefix);
    for (const char c : perf_name) {
        name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return name;
}

std::string_view kernel_constant(std::string_view perf_name) {
    for (const auto& row : kernel_names()) {
        if (same(perf_name, row.name)) return row.constant;
    }
    return {};
}

}  // namespace ringside::papi
