#include "guest/apt_sources.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace ringside::guest {

namespace {

using Stanza = std::map<std::string, std::string, std::less<>>;

// deb822: "Key: value", a line that starts with a blank continues the value, an empty line ends the
// stanza, '#' starts a comment.
std::vector<Stanza> parse_stanzas(std::string_view text) {
    std::vector<Stanza> stanzas(1);
    std::string* value = nullptr;
    for (const auto line : base::split_lines(text)) {
        if (base::trim(line).empty()) {
            if (!stanzas.back().empty()) stanzas.emplace_back();
            value = nullptr;
        } else if (line.front() == '#') {
            continue;
        } else if (line.front() == ' ' || line.front() == '\t') {
            if (value != nullptr) value->append("\n").append(line);
        } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
            value = &stanzas.back()[base::to_lower(line.substr(0, colon))];
            *value = base::trim(line.substr(colon + 1));
        }
    }
    if (stanzas.back().empty()) stanzas.pop_back();
    return stanzas;
}

std::string get(const Stanza& stanza, std::string_view key) {
    const auto found = stanza.find(key);
    return found == stanza.end() ? std::string() : found->second;
}

// "deb [arch=amd64 signed-by=/x.gpg] http://..." gives "/x.gpg".
std::string one_line_signed_by(std::string_view line) {
    const auto open = line.find('[');
    const auto close = line.find(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return {};
    constexpr std::string_view key = "signed-by=";
    for (const auto option : base::split_words(line.substr(open + 1, close - open - 1))) {
        if (base::to_lower(option).starts_with(key)) return std::string(option.substr(key.size()));
    }
    return {};
}

// `entry` is "FILE:NUMBER": a line of a .list file, a stanza of a .sources file.
std::string signed_by_of(std::string_view entry, const base::SysRoot& root) {
    const auto colon = entry.rfind(':');
    if (colon == std::string_view::npos) return {};
    const auto number = base::parse_u64(entry.substr(colon + 1));
    const auto text = root.read(entry.substr(0, colon));
    if (!text || !number || *number == 0) return {};
    if (entry.substr(0, colon).ends_with(".sources")) {
        const auto stanzas = parse_stanzas(*text);
        return *number <= stanzas.size() ? get(stanzas[*number - 1], "signed-by") : std::string();
    }
    const auto lines = base::split_lines(*text);
    return *number <= lines.size() ? one_line_signed_by(lines[*number - 1]) : std::string();
}

bool is_debian_packages(const Stanza& stanza) {
    const auto label = get(stanza, "label");
    return get(stanza, "created-by") == "Packages" && get(stanza, "origin") == "Debian" &&
           (label == "Debian" || label == "Debian-Security") && get(stanza, "component") == "main";
}

}  // namespace

std::vector<AptSource> debian_sources(std::string_view index_targets, const base::SysRoot& root) {
    std::vector<AptSource> sources;
    for (const auto& stanza : parse_stanzas(index_targets)) {
        if (!is_debian_packages(stanza)) continue;
        AptSource source{get(stanza, "site"), get(stanza, "release"), get(stanza, "component"),
                         signed_by_of(get(stanza, "sourcesentry"), root)};
        if (source.uri.empty() || source.suite.empty()) continue;
        if (std::find(sources.begin(), sources.end(), source) == sources.end()) {
            sources.push_back(std::move(source));
        }
    }
    return sources;
}

std::string to_sources_file(const std::vector<AptSource>& sources, std::string_view arch) {
    std::string text;
    for (const auto& source : sources) {
        text += fmt::format("Types: deb\nURIs: {}\nSuites: {}\nComponents: {}\nArchitectures: {}\n",
                            source.uri, source.suite, source.component, arch);
        if (!source.signed_by.empty()) text += fmt::format("Signed-By: {}\n", source.signed_by);
        text += "\n";
    }
    return text;
}

std::string transport_settings(std::string_view apt_config_dump) {
    std::string kept;
    for (const auto line : base::split_lines(apt_config_dump)) {
        if (!line.starts_with("Acquire::")) continue;
        const bool about_indexes = line.starts_with("Acquire::IndexTargets") ||
                                   line.starts_with("Acquire::Changelogs") ||
                                   line.starts_with("Acquire::Languages");
        if (!about_indexes) kept.append(line).append("\n");
    }
    return kept;
}

}  // namespace ringside::guest
