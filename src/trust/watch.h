// Starvation during a measurement. When a host takes a counter away, the guest's kernel goes on to
// say that the event runs; the only thing that shows it from inside is work whose counts are known.
// The watch does such work in slices and sees in which slice which counter stopped.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/sys_root.h"
#include "trust/ladder.h"
#include "trust/report.h"

namespace ringside::trust {

struct Slice {
    std::uint64_t at_ns = 0;  // since the watch began
    std::uint64_t wall_ns = 0;
    std::vector<SlotObservation> slots;
};

// Keeps one CPU busy for `duration`, at least for one slice.
std::vector<Slice> watch(const Ladder& ladder, std::chrono::nanoseconds duration);

// Pure.
std::vector<Freeze> find_freezes(const std::vector<Slice>& slices);
// Whether cycles went on while the host ran somebody else: the time that slices took beyond the
// usual is compared to the cycles they counted beyond the usual. `stolen_ns` is what the kernel
// accounted as steal meanwhile.
SelfTest judge_steal(const std::vector<Slice>& slices, std::uint64_t stolen_ns);

WatchReport watch_and_judge(const base::SysRoot& root, const Ladder& ladder,
                            std::chrono::nanoseconds duration);

}  // namespace ringside::trust
