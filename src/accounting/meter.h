// One way of measuring where a subject's time went. time_budget.cpp chooses among those in this
// room.
#pragma once

#include <cstdint>
#include <memory>

#include <ringside/result.h>

#include "analysis/time_budget.h"
#include "base/sys_root.h"
#include "bpf/state_tracer.h"
#include "clocks/threads.h"

namespace ringside::accounting {

// Used by one thread at a time.
class BudgetMeter {
  public:
    virtual ~BudgetMeter() = default;
    // Since the meter was made. `clock` was read a moment ago.
    virtual analysis::TimeFacts read(const Times& clock) = 0;
};
using BudgetMeterPtr = std::unique_ptr<BudgetMeter>;

// Every change of state, seen by BPF.
Result<BudgetMeterPtr> make_traced_meter(const base::SysRoot& root, const clocks::Subject& subject,
                                         const std::shared_ptr<bpf::StateTracer>& tracer,
                                         const std::string& faults_missing);
// What the kernel adds up itself. `why` says why there is nothing better.
BudgetMeterPtr make_summed_meter(const base::SysRoot& root, const clocks::Subject& subject,
                                 const std::string& why);

}  // namespace ringside::accounting
