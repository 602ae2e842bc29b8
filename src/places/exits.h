// Why a guest left to its host, how often and for how long: the command is executed once more, with
// nothing that measures it inside, while the host counts. Tracing the measured runs themselves
// would make them slower.
#pragma once

#include <string>

#include <ringside/result.h>

#include "guest/box.h"

namespace ringside::places {

// Boots `request` and writes FOLDER/exits.json. KVM must be below the guest: the box's own for an
// inner guest, else this machine's.
Result<void> count_exits(guest::BoxRequest request, const std::string& folder);

}  // namespace ringside::places
