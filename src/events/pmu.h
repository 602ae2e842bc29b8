// The kernel's own description of its PMUs: /sys/bus/event_source/devices.
#pragma once

#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "base/sys_root.h"
#include "model/event.h"

namespace ringside::events {

// The encoding of "event=0x3c,umask=1" on a PMU, by that PMU's format files. A term without a
// value is 1; a name found under events/ stands for its terms. Fails on anything it cannot place.
Result<model::EventCode> encode_terms(const base::SysRoot& root, std::string_view pmu,
                                      std::string_view terms);

// Every event that a PMU's events/ folder names, as "pmu/name/". PMUs that cannot be read and
// events that cannot be encoded are left out; those that need a parameter ("?") too.
std::vector<model::Event> pmu_events(const base::SysRoot& root);

// Every tracepoint of tracefs, as "system:name"; empty where tracefs cannot be read.
std::vector<model::Event> tracepoints(const base::SysRoot& root);
Result<model::Event> tracepoint(const base::SysRoot& root, std::string_view system,
                                std::string_view name);

}  // namespace ringside::events
