// The guest that a program of this machine can run in as it is: same architecture, same files, same
// environment. What it writes is gone with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "guest/box.h"

namespace ringside::cli {

struct GuestWish {
    double memory_mb = 2048;
    double cpus = 0;  // 0: as many as this machine has
    std::vector<std::string> builds;
    bool co_run_apart = true;  // a program beside has a guest of its own
    bool exits = true;         // under KVM: also count why the guest exits
};

// A line of progress, for people.
void print_guest_progress(std::string_view line);

// The kind of it.
Result<std::string> embedded_kind();

// All but the command, which will run in our working directory.
Result<guest::BoxRequest> embedded_guest(const GuestWish& wish);

}  // namespace ringside::cli
