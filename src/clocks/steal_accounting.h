// Does this kernel take steal out of CPU time? Configuration files are not asked: the scheduler's
// own bookkeeping shows it, and where that cannot be read, two clocks that disagree do.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include <ringside/clocks.h>

#include "base/sys_root.h"
#include "bpf/kernel_layout.h"
#include "bpf/steal_tracer.h"

namespace ringside::clocks {

// From the kernel's types, and the counters if they could be read (empty if not). Pure.
StealAccounting judge_kernel(const std::optional<bpf::KernelLayout>& layout,
                             const std::vector<bpf::CpuCounters>& counters);

// By keeping a CPU busy until enough was stolen to tell, at most `limit`. Needs perf, not root.
StealAccounting measure_accounting(const base::SysRoot& root, std::chrono::milliseconds limit);

}  // namespace ringside::clocks
