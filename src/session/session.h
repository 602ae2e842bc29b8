// A session: the components that its event sets count with, and the metrics it knows.
#pragma once

#include <vector>

#include <ringside/event_set.h>

#include "session/component.h"

namespace ringside {

struct Session::Impl {
    static Session over(std::vector<session::ComponentPtr> components);

    std::vector<session::ComponentPtr> components;  // never changed once the session is made
};

namespace session {

// A session over these; the first takes the names that name no component.
Session session_over(std::vector<ComponentPtr> components);

}  // namespace session

}  // namespace ringside
