// Are counters readable without the kernel, and is what they say true? Tried in a process of its
// own, because the instruction can fault at once or, on some virtual PMUs, in the middle of a loop.
#pragma once

#include <cstdint>
#include <optional>

#include <ringside/result.h>

#include "trust/report.h"

namespace ringside::trust {

struct UserReadObservation {
    std::optional<Error> open_error;
    bool offered = false;        // the kernel's page says that reading is possible
    int width_bits = 0;          // 0: not said
    int signal = 0;              // what ended the process, or 0
    std::uint64_t reads = 0;     // that went well
    std::uint64_t counted = 0;   // over the known loop, less an empty measurement
    std::uint64_t expected = 0;  // 0 if the event's count is not known
};

UserReadObservation observe_user_read();
UserRead judge_user_read(const UserReadObservation& observation);

}  // namespace ringside::trust
