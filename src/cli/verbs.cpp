#include "cli/guest.h"
#include "cli/verb.h"

namespace ringside::cli {

Verbs all_verbs() {
    Verbs verbs;
    add_guest_verbs(verbs);
    return verbs;
}

}  // namespace ringside::cli
