// What the cpu component found out about this machine, each thing once and only when it is needed:
// whether counters can be read without the kernel, and whether an event that reads 0 counts at all.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/fork.h"
#include "base/sys_root.h"
#include "model/event.h"
#include "platform/machine.h"
#include "trust/provocation.h"
#include "trust/report.h"

namespace ringside::components::cpu {

// May be used by several threads at once.
class Witness {
  public:
    explicit Witness(const base::SysRoot& root) : root_(root) {}

    const platform::Machine& machine() const;
    bool virtualized() const;

    // Tried in a process of its own; see trust/user_read_probe.h.
    const trust::UserRead& user_read() const;

    // Provokes the event on the calling thread, some milliseconds the first time.
    trust::Verdict examine(const model::Event& event) const;

    // What the known loop of trust/loops.h makes the event count at the least in each iteration;
    // 0 when that is not known.
    double least_in_loop(const model::Event& event) const;

  private:
    // By its code: the name under which the tables know it, and without modifiers.
    model::Event as_in_tables(const model::Event& event) const;

    base::SysRoot root_;
    mutable std::once_flag machine_once_;
    mutable platform::Machine machine_;
    mutable std::once_flag user_read_once_;
    mutable trust::UserRead user_read_;
    const trust::Provocations& provocations() const;
    mutable std::once_flag provocations_once_;
    mutable std::optional<trust::Provocations> provocations_;
    mutable base::Mutex mutex_;  // over verdicts_
    mutable std::map<std::string, trust::Verdict> verdicts_;
};

}  // namespace ringside::components::cpu
