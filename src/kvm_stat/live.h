// Exits as they happen: the ring buffers are emptied now and then, and nothing is written anywhere.
#pragma once

#include <memory>

#include <ringside/result.h>

#include "base/sys_root.h"
#include "kvm_stat/measurement.h"
#include "record/settings.h"

namespace ringside::kvm_stat {

class LiveExits {
  public:
    // Opens KVM's tracepoints for the targets of `settings`; its events are filled in here.
    static Result<std::unique_ptr<LiveExits>> open(const base::SysRoot& root,
                                                   record::Settings settings);
    virtual ~LiveExits() = default;

    // Not needed where the settings say that the target's exec begins.
    virtual Result<void> begin() = 0;
    // Empties the buffers; call it every few tens of milliseconds.
    virtual void collect() = 0;
    // Nothing comes after this; what was held back is counted.
    virtual void end() = 0;
    // Since begin() or the last interval().
    virtual Measurement measurement() const = 0;
    // The same, and begins a new interval.
    virtual Measurement interval() = 0;
};

}  // namespace ringside::kvm_stat
