// Steal of whole CPUs: by the hypervisor's own counters where BPF may read them, else /proc/stat.
#pragma once

#include <memory>

#include <ringside/clocks.h>
#include <ringside/result.h>

#include "base/sys_root.h"
#include "bpf/steal_tracer.h"

namespace ringside::clocks {

// Used by one thread at a time.
class CpuStealMeter {
  public:
    virtual ~CpuStealMeter() = default;
    virtual Result<std::vector<CpuSteal>> read() = 0;
};
using CpuStealMeterPtr = std::unique_ptr<CpuStealMeter>;

Result<CpuStealMeterPtr> make_counter_meter(const std::shared_ptr<bpf::StealTracer>& tracer);
Result<CpuStealMeterPtr> make_proc_stat_meter(const base::SysRoot& root);

// The machine's steal is the sum over its CPUs.
MachineSteal sum_up(std::vector<CpuSteal> cpus);

}  // namespace ringside::clocks
