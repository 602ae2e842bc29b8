#include "platform/identity.h"

#include <algorithm>

#include "base/csv.h"
#include "base/text.h"
#include "platform/readers.h"

namespace ringside::platform {

namespace {

struct Rule {
    std::string key;
    std::string pattern;
    Sighting sighting;
};

std::vector<Rule> parse_rules(std::string_view table_csv) {
    std::vector<Rule> rules;
    for (auto& row : base::parse_csv(table_csv)) {
        if (row.size() != 5) continue;
        const auto rank = base::parse_i64(row[4]);
        if (!rank) continue;  // the header
        const bool weak = *rank < weak_below_rank;
        rules.push_back(
            {row[0], row[1], {row[2], row[3], static_cast<int>(*rank), {{}, {}, weak}}});
    }
    return rules;
}

// A kernel command line is long: the part of `text` around what the pattern is about.
std::string excerpt(std::string_view text, std::string_view pattern) {
    constexpr std::size_t around = 40;
    while (pattern.starts_with('*')) pattern.remove_prefix(1);
    while (pattern.ends_with('*')) pattern.remove_suffix(1);
    const std::size_t at = text.find(pattern);
    if (text.size() <= 2 * around || at == std::string_view::npos || at < around)
        return shown(text);
    return "..." + shown(text.substr(at - around, pattern.size() + 2 * around));
}

// What a sighting stands for, so that evidence can be read without the table: " (kvm, qemu)".
std::string meaning(const Sighting& sighting) {
    if (sighting.name == "unknown" && sighting.detail.empty()) return {};
    if (sighting.name == "unknown") return " (" + sighting.detail + ")";
    if (sighting.detail.empty()) return " (" + sighting.name + ")";
    return " (" + sighting.name + ", " + sighting.detail + ")";
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
    const bool open_start = pattern.starts_with('*');
    if (open_start) pattern.remove_prefix(1);
    const bool open_end = pattern.ends_with('*');
    if (open_end) pattern.remove_suffix(1);
    if (open_start && open_end) return base::contains(text, pattern);
    if (open_start) return pattern.empty() || text.ends_with(pattern);
    if (open_end) return text.starts_with(pattern);
    return text == pattern;
}

std::vector<Sighting> recognise(const std::vector<Observation>& observations,
                                std::string_view table_csv) {
    const auto rules = parse_rules(table_csv);
    std::vector<Sighting> sightings;
    for (const auto& seen : observations) {
        if (seen.text.empty() || !printable(seen.text)) continue;
        const auto rule = std::find_if(rules.begin(), rules.end(), [&](const Rule& candidate) {
            return candidate.key == seen.key && matches(candidate.pattern, seen.text);
        });
        if (rule == rules.end()) continue;
        Sighting sighting = rule->sighting;
        sighting.evidence.source = seen.source;
        sighting.evidence.text = excerpt(seen.text, rule->pattern) + meaning(sighting);
        sightings.push_back(std::move(sighting));
    }
    std::stable_sort(sightings.begin(), sightings.end(),
                     [](const Sighting& a, const Sighting& b) { return a.rank > b.rank; });
    return sightings;
}

}  // namespace ringside::platform
