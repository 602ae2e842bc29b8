// The verbs below `ringside guest`.
#pragma once

#include "cli/verb.h"

namespace ringside::cli {

void add_guest_verbs(Verbs& verbs);

}  // namespace ringside::cli
