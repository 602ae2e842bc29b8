#include "lab/events.h"

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/text.h"

namespace ringside::lab {

namespace {

constexpr std::array<std::string_view, event_names> texts = {
    "cycles",      "instructions",    "branches",       "cache_misses", "ops_dispatched",
    "ops_retired", "stalls_frontend", "stalls_backend", "stalls_smt"};

// "1a0.1e": event select and unit mask.
std::optional<vpmu::Event> parse_encoding(std::string_view text) {
    if (text == "-") return std::nullopt;
    const auto parts = base::split(text, '.');
    RINGSIDE_ASSERT(parts.size() == 2);
    const auto select = base::parse_u64(parts[0], 16);
    const auto umask = base::parse_u64(parts[1], 16);
    RINGSIDE_ASSERT(select && umask);
    return vpmu::Event{std::uint16_t(*select), std::uint8_t(*umask)};
}

}  // namespace

std::string_view to_string(EventName name) {
    return texts[index_of(name)];
}

std::optional<EventName> event_named(std::string_view name) {
    for (unsigned i = 0; i < event_names; ++i) {
        if (texts[i] == name) return static_cast<EventName>(i);
    }
    return std::nullopt;
}

Encodings encodings_of(vpmu::Architecture architecture) {
    const auto table = base::embedded_file("lab/events.csv");
    RINGSIDE_ASSERT(table.has_value());
    Encodings encodings;
    for (const auto& row : base::parse_csv(*table)) {
        const auto name = event_named(row[0]);
        if (!name) continue;  // the header
        encodings[index_of(*name)] =
            parse_encoding(row.at(1 + static_cast<unsigned>(architecture)));
    }
    return encodings;
}

}  // namespace ringside::lab
