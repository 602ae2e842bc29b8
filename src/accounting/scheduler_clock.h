// The clock that the scheduler writes its own times by, against ours.
#pragma once

#include <cstdint>
#include <optional>

#include "base/sys_root.h"

namespace ringside::accounting {

// The scheduler's clock minus CLOCK_MONOTONIC, to some microseconds: a thread of our own is put to
// sleep, and /proc/TID/sched says when that began. nullopt without schedstats.
std::optional<std::int64_t> scheduler_ahead_ns(const base::SysRoot& root);

}  // namespace ringside::accounting
