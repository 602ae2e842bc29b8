// Every event this machine might have, and whether it can be opened.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ringside/trust.h>

#include "base/sys_root.h"
#include "model/event.h"
#include "platform/machine.h"

namespace ringside::trust {

// The generic and architectural events that doctor judges, in the order of the tables.
std::vector<model::Event> judged_events(const platform::Machine& machine);

// Whether the CPU's PMU lists an event given by its raw code; unset if it has no list of codes.
// arm64 kernels open every code, implemented or not, and list what PMCEID has.
std::optional<bool> advertised(const platform::Machine& machine, const model::Event& event);

struct Listed {
    model::Event event;
    CounterState state = CounterState::ok;  // ok: it can be opened
    std::string reason;                     // if not ok; or "user mode only"
};

// Those whose name matches. Opens and closes each event once; none is enabled.
std::vector<Listed> list_events(const base::SysRoot& root, const platform::Machine& machine,
                                std::string_view pattern = {});

// A shell pattern over the whole name if it holds one of *?[, else a part of it; case is ignored.
bool matches(std::string_view name, std::string_view pattern);

}  // namespace ringside::trust
