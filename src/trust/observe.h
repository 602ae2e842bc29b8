// Opens one event, provokes it, stops it and reads it: the raw material of a verdict.
#pragma once

#include "trust/judge.h"
#include "trust/workbench.h"

namespace ringside::trust {

class Observer {
  public:
    // Leaves no event open. A known loop that was miscounted is measured again, three times in all.
    Observation observe(const model::Event& event, const Provocation& provocation);

  private:
    Observation attempt(const model::Event& event, const Provocation& provocation);

    Workbench bench_;
};

// Opens in user and kernel mode, or, where that is refused, in user mode alone.
struct Opened {
    Result<perf::EventFd> fd;
    bool user_only = false;
};
Opened open_as_permitted(const model::Event& event, Level level,
                         const perf::OpenOptions& options = {});

}  // namespace ringside::trust
