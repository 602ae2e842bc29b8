// From what is asked for to what the kernel is asked for. Pure.
#pragma once

#include <string>

#include <linux/perf_event.h>

#include "record/settings.h"

namespace ringside::record {

// Of an event that samples.
perf_event_attr sampling_attributes(const model::Event& event, const Settings& settings);

// Of the event that never counts and reports what is mapped, forked, executed and renamed.
perf_event_attr tracking_attributes(const Settings& settings);

// Takes back one thing that an older kernel, a PMU or its rights may refuse, the least missed
// first. False when nothing is left to take back. What matters to a reader goes into `loss`.
bool make_modest(perf_event_attr& attributes, int sys_errno, bool modes_named, std::string& loss);

}  // namespace ringside::record
