// What stands behind an event set: for each component that has events in it, its open counters.
#pragma once

#include <string>
#include <vector>

#include "session/component.h"
#include "session/resolve.h"

namespace ringside::session {

struct Part {
    std::size_t component = 0;  // its index in the session
    std::vector<ComponentEvent> events;
    CountersPtr counters;
    std::vector<Reading> readings;     // room for reading without allocating
    std::vector<std::int64_t> values;  // likewise
};

// Where an event's value is found.
struct Slot {
    std::size_t part = 0;
    std::size_t index = 0;
};

// An event of a set, as it was added.
struct Member {
    std::string name;
    Found found;
    Slot slot;
    std::uint64_t overflow_period = 0;  // 0: no handler
    OverflowHandler overflow_handler;
};

// Puts each member into the part of its component and sets its slot. Nothing is opened yet.
std::vector<Part> arrange(std::vector<Member>& members);

// Opens every part. Counters of `old` whose events are the same move over; unless all goes well
// `old` is as it was.
Result<void> open_parts(const Session::Impl& session, const SetOptions& options,
                        std::vector<Part>& parts, std::vector<Part>& old);

}  // namespace ringside::session
