// How time passes on this machine: what can only be found by comparing clocks.
#pragma once

#include "platform/clock_source.h"
#include "trust/report.h"

namespace ringside::trust {

// Takes about 20 ms. Reads the host's own clock where the hypervisor lends one.
TimeReport examine_time(const platform::ClockSource& clock);

}  // namespace ringside::trust
