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
        sighting.evidence.text = shown(seen.text);
        sightings.push_back(std::move(sighting));
    }
    std::stable_sort(sightings.begin(), sightings.end(),
                     [](const Sighting& a, const Sighting& b) { return a.rank > b.rank; });
    return sightings;
}

}  // namespace ringside::platform
