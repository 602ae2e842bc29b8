// From a name to the events that are opened for it: one, or one for each kind of core.
#pragma once

#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "base/sys_root.h"
#include "components/cpu/plan.h"
#include "platform/event_sources.h"

namespace ringside::components::cpu {

// May be used by several threads at once.
class Resolver {
  public:
    explicit Resolver(const base::SysRoot& root) : root_(root) {}

    // Fails with not_found when nobody knows the name. Opens nothing.
    Result<CountedEvent> resolve(std::string_view name) const;

  private:
    const std::vector<platform::EventSource>& sources() const;

    base::SysRoot root_;
    mutable std::once_flag once_;
    mutable std::vector<platform::EventSource> sources_;
};

// Pure: `event` on the PMUs among `sources` that can count it.
CountedEvent spread_over_pmus(const model::Event& event,
                              const std::vector<platform::EventSource>& sources);

}  // namespace ringside::components::cpu
