// The presets and metrics that a session knows: what was compiled in, and what its user defined.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fork.h"
#include "base/sys_root.h"
#include "events/metrics.h"

namespace ringside::session {

// May be used by several threads at once. Looks at the machine when it is first asked.
class Definitions {
  public:
    explicit Definitions(const base::SysRoot& root) : root_(root) {}

    // The user's own first, then in the order of the tables; empty if nobody defined it.
    std::vector<events::Definition> of(std::string_view name) const;
    // Each once.
    std::vector<std::string> names() const;

    // All of them or, with the number of the bad line, none.
    Result<void> add(std::string_view text);

  private:
    void load() const;  // with the mutex held

    base::SysRoot root_;
    mutable base::Mutex mutex_;
    mutable bool loaded_ = false;
    mutable std::vector<std::string> lines_;  // of this processor, as the tables name them
    mutable std::vector<events::Definition> all_;
};

}  // namespace ringside::session
