// A session: the components that its event sets count with, and the metrics it knows.
#pragma once

#include <vector>

#include <ringside/event_set.h>

#include "base/sys_root.h"
#include "session/component.h"
#include "session/definitions.h"

namespace ringside {

struct Session::Impl {
    Impl(std::vector<session::ComponentPtr> of, const base::SysRoot& root)
        : components(std::move(of)), definitions(root) {}
    static Session over(std::vector<session::ComponentPtr> components, const base::SysRoot& root);

    const std::vector<session::ComponentPtr> components;
    session::Definitions definitions;
};

namespace session {

// A session over these; the first takes the names that name no component. `root` tells which
// processor it is, and so which presets there are.
Session session_over(std::vector<ComponentPtr> components, const base::SysRoot& root = {});

}  // namespace session

}  // namespace ringside
