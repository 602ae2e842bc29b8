#include "trust/provocation.h"

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/text.h"

namespace ringside::trust {

namespace {

Level level_named(std::string_view name) {
    if (name == "user") return Level::user;
    if (name == "kernel") return Level::kernel;
    RINGSIDE_ASSERT(name == "any");
    return Level::any;
}

}  // namespace

Provocations::Provocations() {
    const auto text = base::embedded_file("trust/provocation.csv");
    RINGSIDE_ASSERT(text.has_value());
    auto rows = base::parse_csv(*text);
    RINGSIDE_ASSERT(!rows.empty());
    rows.erase(rows.begin());
    for (const auto& row : rows) {
        RINGSIDE_ASSERT(row.size() == 5);
        const auto workload = workload_named(row[1]);
        const auto least = base::parse_u64(row[2]);
        const auto witness = witness_named(row[3]);
        RINGSIDE_ASSERT(workload && least && witness);
        by_event_[row[0]] = {*workload, *least, *witness, level_named(row[4])};
    }
}

Provocation Provocations::of(std::string_view event) const {
    const auto found = by_event_.find(event);
    return found == by_event_.end() ? Provocation{} : found->second;
}

}  // namespace ringside::trust
