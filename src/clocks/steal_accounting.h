// Does this kernel take steal out of CPU time? Configuration files are not asked: the scheduler's
// own bookkeeping shows it. Where that cannot be read, two clocks that disagree do
// (clocks/share.h).
#pragma once

#include <optional>
#include <vector>

#include <ringside/clocks.h>

#include "bpf/kernel_layout.h"
#include "bpf/steal_tracer.h"

namespace ringside::clocks {

// From the kernel's types, and the counters if they could be read (empty if not). Pure.
StealAccounting judge_kernel(const std::optional<bpf::KernelLayout>& layout,
                             const std::vector<bpf::CpuCounters>& counters);

}  // namespace ringside::clocks
