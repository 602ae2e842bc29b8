// What a guest sees of its PMU: the registers' values, at the exact widths, and nothing of how they
// are kept. One layout serves all architectures; the comments name the registers.
#pragma once

#include "vpmu/types.h"

namespace ringside::vpmu {

struct PmuState {
    std::uint64_t counter[max_slots] = {};
    std::uint64_t selector[max_slots] = {};  // PERFEVTSEL, PERF_CTL, PMEVTYPER, PMCCFILTR
    std::uint64_t control = 0;               // FIXED_CTR_CTRL; PMCR.{E,LC,LP}
    Mask enable = 0;                         // GLOBAL_CTRL; PMCNTENSET
    Mask overflow = 0;                       // GLOBAL_STATUS; PMOVSSET
    Mask interrupt_enable = 0;               // PMINTENSET; x86 keeps it in the selectors
    std::uint64_t select = 0;                // PMSELR
    std::uint64_t user_enable = 0;           // PMUSERENR; on x86 bit 0 is the guest's CR4.PCE

    bool operator==(const PmuState&) const = default;
};

// An event as filters, host schedulers and oracles compare it. Arm has no unit mask.
struct Event {
    std::uint16_t select = 0;
    std::uint8_t umask = 0;
    bool user = true;
    bool kernel = true;

    constexpr bool operator==(const Event&) const = default;
    constexpr bool same_event(const Event& other) const {
        return select == other.select && umask == other.umask;
    }
};

}  // namespace ringside::vpmu
