// Do overflow interrupts arrive? A period P over M * P events must give M samples, with no access
// to the PMU between them that would hide a lost interrupt.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <ringside/result.h>

#include "model/event.h"
#include "trust/report.h"

namespace ringside::trust {

struct SamplingObservation {
    std::string event;
    std::optional<Error> open_error;
    std::uint64_t period = 0;
    std::uint64_t count = 0;  // over the whole loop
    std::uint64_t lost = 0;
    bool throttled = false;
    // A timer that is late skips the periods it missed: fewer samples are then no fault of its own.
    bool is_timer = false;
    // The event's own count when each sample was taken, in order.
    std::vector<std::uint64_t> counts_at_sample;
};

// Samples `event` in user mode while a loop runs that is long enough for about twenty periods.
SamplingObservation observe_sampling(const model::Event& event, std::uint64_t period,
                                     std::uint64_t iterations);

// Pure. The detail has the number of samples and the skid: how many events passed between an
// overflow and its sample.
SelfTest judge_sampling(const SamplingObservation& observation);

// Tries cycles, then cpu-clock, and says which to use. Never substitutes without saying so.
SamplingReport choose_sampling();
SamplingReport choose_sampling(const std::vector<SelfTest>& tests);  // pure

}  // namespace ringside::trust
