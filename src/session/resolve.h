// From the name a person types to what is counted for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "events/expression.h"
#include "session/session.h"

namespace ringside::session {

// An event of one component.
struct Found {
    std::size_t component = 0;  // its index in the session
    ComponentEvent event;
};

// Its index; fails with the names there are.
Result<std::size_t> component_named(const Session::Impl& session, std::string_view name);

// "component:::event", or an event of the first component.
Result<Found> find_event(const Session::Impl& session, std::string_view name);

struct Resolved {
    // Over names that find_event() knows, and events::seconds_name.
    events::Expression expression;
    std::string formula;  // as it was defined; empty for an event
    std::string unit;
    std::string description;
};

// An event, or a preset or metric with everything put in that it is made of. Of several definitions
// the first is taken whose events can all be counted.
Result<Resolved> resolve(const Session::Impl& session, std::string_view name);

}  // namespace ringside::session
