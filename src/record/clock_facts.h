// What lets a reader lay this recording beside one of a guest or of its host: the samples' clock
// and the CPU's counter read together, and what KVM adds to that counter in each of its guests.
#pragma once

#include <map>
#include <string>

#include "base/sys_root.h"
#include "perf/data_context.h"

namespace ringside::record {

// "clock_reading": CLOCK_MONOTONIC in ns, the counter (TSC, CNTVCT_EL0), how far it may be from the
// instant of the first, in ticks, and the CPU whose counter it is.
perf::ContextItem clock_reading();

// The counters of the guests that run here, as debugfs has them while they run.
class GuestCounters {
  public:
    // Takes in what is there now. A guest that has ended keeps what was seen last.
    void look(const base::SysRoot& root);
    // "kvm_tsc": the VMM's pid, the vCPU, what is added to the host's counter, what it was
    // multiplied with before, and the bits of that which are its fraction (0: not multiplied).
    perf::Context items() const;

  private:
    std::map<std::string, std::string> lines_;  // by the vCPU's folder
};

}  // namespace ringside::record
