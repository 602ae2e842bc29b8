#include "soft/events.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/error.h"

namespace ringside::soft {

namespace {

Needs needs_named(std::string_view name) {
    constexpr std::array<std::string_view, 6> names = {"count",     "branches", "memory",
                                                       "predictor", "caches",   "machine"};
    const auto found = std::find(names.begin(), names.end(), name);
    RINGSIDE_ASSERT(found != names.end());
    return static_cast<Needs>(found - names.begin());
}

}  // namespace

std::vector<Event> all_events() {
    const auto text = base::embedded_file("soft/events.csv");
    RINGSIDE_ASSERT(text.has_value());
    const auto rows = base::parse_csv(*text);
    std::vector<Event> events;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const auto& row = rows[i];
        RINGSIDE_ASSERT(row.size() == 4);
        events.push_back(
            {row[0], row[1], needs_named(row[2]), row[3], static_cast<unsigned>(i - 1)});
    }
    return events;
}

std::uint64_t usual_period(const Event& event) {
    switch (event.needs) {
        case Needs::count:
            return 1'000'003;
        case Needs::branches:
        case Needs::memory:
            return 100'003;
        case Needs::predictor:
        case Needs::caches:
        case Needs::machine:
            break;
    }
    return 97;
}

Result<Event> find_program_event(std::string_view name) {
    std::string_view wanted = name;
    if (wanted.starts_with("soft:::")) wanted.remove_prefix(7);
    if (wanted.ends_with(":u")) wanted.remove_suffix(2);
    std::string known;
    for (const auto& event : all_events()) {
        if (event.needs == Needs::machine) continue;
        if (wanted == event.name || wanted == event.stat_name) return event;
        known += (known.empty() ? "" : ", ") + event.stat_name;
    }
    return base::fail(ErrorCode::not_found, "the soft PMU does not count " + std::string(name),
                      "it counts " + known);
}

}  // namespace ringside::soft
