// What all clocks of a program share: facts about the machine, and the BPF tracer once it is
// needed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ringside/clocks.h>

#include "base/fork.h"
#include "base/sys_root.h"
#include "bpf/kernel_layout.h"
#include "bpf/steal_tracer.h"
#include "clocks/cpu_steal.h"
#include "clocks/meter.h"

namespace ringside::clocks {

// What has to be known of a machine before its steal can be measured.
struct StealFacts {
    std::optional<bool> virtualized;
    std::optional<bool> reported;  // the hypervisor tells the guest about steal
    std::string reported_evidence;
    bool irq_excluded = false;  // CPU time has interrupt time taken out
};

class Environment {
  public:
    Environment(base::SysRoot root, const ClockOptions& options);

    const base::SysRoot& root() const { return root_; }
    const StealFacts& facts() const { return facts_; }
    StealAccounting accounting() const;

    // Loaded at the first call; fails as then.
    Result<std::shared_ptr<bpf::StealTracer>> tracer();
    // The best meter that works here; one that says "none" and why if need be.
    MeterPtr make_meter(const Subject& subject);
    // Fails when /proc/stat cannot be read.
    Result<CpuStealMeterPtr> make_cpu_meter();

  private:
    Result<MeterPtr> try_method(StealMethod method, const Subject& subject);
    std::vector<StealMethod> candidates(const Subject& subject) const;

    base::SysRoot root_;
    ClockOptions options_;
    StealFacts facts_;
    StealAccounting accounting_;
    mutable base::Mutex mutex_;
    std::optional<Result<std::shared_ptr<bpf::StealTracer>>> tracer_;
};

}  // namespace ringside::clocks
