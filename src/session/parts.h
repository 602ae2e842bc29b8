// What stands behind an event set: for each component that has events in it, its open counters.
#pragma once

#include <optional>
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
    std::vector<Reading> before;       // what the last interval ended with
    std::vector<std::int64_t> values;  // likewise
};

// What a member is made of: an event, or the time that the others were enabled.
struct Term {
    std::optional<Found> found;  // none: the time
    std::size_t part = 0;        // where its value is: in which part, and where there
    std::size_t index = 0;
};

// An event or metric of a set, as it was added.
struct Member {
    std::string name;
    std::optional<events::Expression> formula;  // over the terms; none for a plain event
    std::vector<Term> terms;
    std::vector<double> room;           // for the terms' values, without allocating
    std::uint64_t overflow_period = 0;  // 0: no handler
    OverflowHandler overflow_handler;
};

// What `name` means, with nothing arranged or opened yet.
Result<Member> make_member(const Session::Impl& session, std::string_view name);

// Puts each term into the part of its component, once where several members share it.
std::vector<Part> arrange(std::vector<Member>& members);

// Opens every part. Counters of `old` whose events are the same move over; unless all goes well
// `old` is as it was.
Result<void> open_parts(const Session::Impl& session, const SetOptions& options,
                        std::vector<Part>& parts, std::vector<Part>& old);

// The member's reading, from the readings in `parts`. Does not allocate.
Reading reading_of(Member& member, const std::vector<Part>& parts);

}  // namespace ringside::session
