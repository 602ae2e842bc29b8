#include "events/catalogue.h"

#include <optional>

#include <linux/perf_event.h>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/text.h"

namespace ringside::events {

namespace {

using Rows = std::vector<std::vector<std::string>>;

// The rows of a table that was compiled in, without its heading.
Rows table(std::string_view path) {
    const auto text = base::embedded_file(path);
    RINGSIDE_ASSERT(text.has_value());
    Rows rows = base::parse_csv(*text);
    RINGSIDE_ASSERT(!rows.empty());
    rows.erase(rows.begin());
    return rows;
}

std::uint64_t number(std::string_view text) {
    const auto value = base::parse_u64(text, text.starts_with("0x") ? 16 : 10);
    RINGSIDE_ASSERT(value.has_value());
    return *value;
}

model::EventKind kind_named(std::string_view name) {
    if (name == "software") return model::EventKind::software;
    if (name == "cache") return model::EventKind::cache;
    RINGSIDE_ASSERT(name == "hardware");
    return model::EventKind::hardware;
}

}  // namespace

std::vector<CatalogueEvent> generic_events() {
    std::vector<CatalogueEvent> events;
    for (const auto& row : table("events/generic.csv")) {
        RINGSIDE_ASSERT(row.size() >= 4);
        CatalogueEvent entry;
        entry.event.name = row[0];
        entry.event.kind = kind_named(row[1]);
        entry.event.code.type = static_cast<std::uint32_t>(number(row[2]));
        entry.event.code.config = number(row[3]);
        if (row.size() > 4) entry.alias = row[4];
        events.push_back(std::move(entry));
    }
    return events;
}

std::vector<model::Event> architectural_events(std::string_view line) {
    std::vector<model::Event> events;
    for (const auto& row : table("events/architectural.csv")) {
        RINGSIDE_ASSERT(row.size() == 3);
        if (row[0] != line) continue;
        model::Event event;
        event.name = row[1];
        event.kind = model::EventKind::architectural;
        event.code = {PERF_TYPE_RAW, number(row[2]), 0, 0};
        events.push_back(std::move(event));
    }
    return events;
}

}  // namespace ringside::events
