// Arithmetic with whole time budgets: of intervals, of several processes, of repeated runs. In each
// result the parts and the rest still sum up to the lifetime. Pure.
#pragma once

#include <span>

#include <ringside/time_budget.h>

namespace ringside::analysis {

// What came to `earlier` until `later`, two readings of one budget.
TimeSplit between(const TimeSplit& earlier, const TimeSplit& later);

// Of processes that were measured side by side: wall time is the longest. At least one.
TimeSplit together(std::span<const TimeSplit> splits);

// Of one run, on average. At least one.
TimeSplit average(std::span<const TimeSplit> splits);

}  // namespace ringside::analysis
