// The public way in: the only place that knows both sessions and the components there are.
#include "components/registry.h"
#include "session/session.h"

namespace ringside {

Session Session::open() {
    return session::session_over(components::all_components());
}

}  // namespace ringside
