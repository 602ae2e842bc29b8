// From the name a person types to the component that counts it.
#pragma once

#include <string_view>

#include "session/session.h"

namespace ringside::session {

struct Found {
    std::size_t component = 0;  // its index in the session
    ComponentEvent event;
};

// Its index; fails with the names there are.
Result<std::size_t> component_named(const Session::Impl& session, std::string_view name);

// "component:::event", or an event of the first component.
Result<Found> find_event(const Session::Impl& session, std::string_view name);

}  // namespace ringside::session
