// How the fields of tracepoints are laid out, as perf and trace-cmd store it in a file: without it
// perf does not open a recording of tracepoints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/sys_root.h"
#include "record/settings.h"

namespace ringside::record {

// The kernel's description of each event that is a tracepoint.
std::vector<std::string> tracepoint_formats(const base::SysRoot& root,
                                            const std::vector<SampledEvent>& events);

// The same as a section of the file. Empty if no event is a tracepoint.
std::vector<std::byte> tracing_data(const base::SysRoot& root,
                                    const std::vector<SampledEvent>& events);

}  // namespace ringside::record
