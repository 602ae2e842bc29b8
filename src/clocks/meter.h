// One way of measuring the times of a subject. clocks.cpp chooses among those in this room.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <ringside/clocks.h>
#include <ringside/result.h>

#include "base/sys_root.h"
#include "bpf/steal_tracer.h"
#include "clocks/threads.h"

namespace ringside::clocks {

// Since the meter was made. Not yet forced to be monotone: Clock does that for all.
struct Measured {
    std::optional<std::uint64_t> cpu_ns;
    std::optional<std::uint64_t> occupied_ns;
    Steal steal;
};

// Used by one thread at a time.
class Meter {
  public:
    virtual ~Meter() = default;
    // nullopt when the subject is gone and nothing more is known than at the last reading.
    virtual std::optional<Measured> read() = 0;
};
using MeterPtr = std::unique_ptr<Meter>;

// task-clock minus CPU time; for kernels that take steal out of CPU time.
Result<MeterPtr> make_difference_meter(const base::SysRoot& root, const Subject& subject,
                                       bool excludes_irq);
// The BPF tracer's sums.
Result<MeterPtr> make_traced_meter(const base::SysRoot& root, const Subject& subject,
                                   const std::shared_ptr<bpf::StealTracer>& tracer);
// Each CPU's steal by the share of the CPU that the subject occupied; where it is not known yet
// whether CPU time excludes steal, the difference decides.
Result<MeterPtr> make_share_meter(const base::SysRoot& root, const Subject& subject,
                                  StealAccounting::Answer accounting);
// CPU time, and steal as given: exactly 0 without a hypervisor, or unknown for a reason.
MeterPtr make_plain_meter(const base::SysRoot& root, const Subject& subject, Steal steal);

}  // namespace ringside::clocks
