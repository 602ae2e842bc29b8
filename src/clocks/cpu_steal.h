// Steal of whole CPUs: by the hypervisor's own counters where BPF may read them, else /proc/stat.
#pragma once

#include <memory>
#include <span>

#include <ringside/clocks.h>
#include <ringside/result.h>

#include "base/sys_root.h"
#include "bpf/steal_tracer.h"

namespace ringside::clocks {

// Used by one thread at a time.
class CpuStealMeter {
  public:
    virtual ~CpuStealMeter() = default;
    // By CPU number, since the meter was made. Valid until the next read; allocates only when a
    // CPU comes that was not there before.
    virtual Result<std::span<const CpuSteal>> read() = 0;
};
using CpuStealMeterPtr = std::unique_ptr<CpuStealMeter>;

Result<CpuStealMeterPtr> make_counter_meter(const std::shared_ptr<bpf::StealTracer>& tracer);
Result<CpuStealMeterPtr> make_proc_stat_meter(const base::SysRoot& root);

// The machine's steal is the sum over its CPUs.
MachineSteal sum_up(std::span<const CpuSteal> cpus);

}  // namespace ringside::clocks
