// The guest that a program of this machine can run in as it is: same architecture, its files and
// its environment, secrets left out. What it writes is gone with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "guest/box.h"

namespace ringside::places {

struct GuestOptions {
    double memory_mb = 2048;
    double cpus = 0;  // 0: as many as this machine has
    std::vector<std::string> builds;
    std::vector<std::string> shared;            // paths, besides those that are lent in any case
    std::vector<std::string> shared_variables;  // names or patterns, likewise
    bool co_run_apart = true;                   // a program beside has a guest of its own
    bool exits = true;                          // under KVM: also count why the guest exits
};

// The kind of it.
Result<std::string> embedded_kind();

// All but the command, which will run in our working directory. `say` is told which variables it
// does without.
Result<guest::BoxRequest> embedded_guest(const GuestOptions& options, const guest::Progress& say);

}  // namespace ringside::places
