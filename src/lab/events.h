// The events a scenario can name, and how each architecture encodes them: data/lab/events.csv.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "vpmu/state.h"

namespace ringside::lab {

enum class EventName : std::uint8_t {
    cycles,
    instructions,
    branches,
    cache_misses,
    ops_dispatched,
    ops_retired,
    stalls_frontend,
    stalls_backend,
    stalls_smt,
};
inline constexpr unsigned event_names = 9;

// One number for each event.
using EventNumbers = std::array<std::uint64_t, event_names>;

constexpr unsigned index_of(EventName name) {
    return static_cast<unsigned>(name);
}
std::string_view to_string(EventName name);
std::optional<EventName> event_named(std::string_view name);

// How one architecture encodes them; nullopt for an event it does not have.
using Encodings = std::array<std::optional<vpmu::Event>, event_names>;
Encodings encodings_of(vpmu::Architecture architecture);

}  // namespace ringside::lab
