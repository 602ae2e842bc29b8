// What a guest with one CPU can ask of its firmware: PSCI 1.0 (Arm DEN 0022).
#pragma once

#include <cstdint>

#include "hyp/core/guest.h"

namespace ringside::hyp {

inline std::int64_t answer_psci(Guest& guest, std::uint32_t function) {
    constexpr std::int64_t not_supported = -1;
    switch (function) {
        case 0x84000000:  // PSCI_VERSION
            return 1 << 16;
        case 0x84000006:  // MIGRATE_INFO_TYPE
            return 2;     // nothing to migrate
        case 0x84000002:  // CPU_OFF
        case 0x84000008:  // SYSTEM_OFF
        case 0x84000009:  // SYSTEM_RESET
            guest.state = GuestState::off;
            return 0;
        default:
            return not_supported;
    }
}

}  // namespace ringside::hyp
