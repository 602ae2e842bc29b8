// Tests of the PMU as a whole, each against something that is known beforehand. Every one leaves
// no event open.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "perf/event_fd.h"
#include "trust/report.h"

namespace ringside::trust {

// A stopped event must not count.
SelfTest test_stopped();
SelfTest judge_stopped(std::uint64_t running, std::uint64_t stopped);

// Instructions with and without forced exits: what is beyond the loop's own instructions was
// executed by the VMM on the guest's behalf, and counted.
SelfTest test_exits();
SelfTest judge_exits(std::uint64_t exits, std::uint64_t counted, std::uint64_t expected);

// Instructions in user mode and in the kernel must add up to instructions in both.
SelfTest test_levels();
SelfTest judge_levels(std::uint64_t user, std::uint64_t kernel, std::uint64_t both);

// With more events than counters, all must get their turn and say how long it was.
SelfTest test_multiplexing(int counters);
SelfTest judge_multiplexing(int counters, const std::vector<perf::Count>& counts);

}  // namespace ringside::trust
