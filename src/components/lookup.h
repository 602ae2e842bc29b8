// What several components need: finding an event by name, and refusing targets they cannot tell
// apart.
#pragma once

#include <span>
#include <string_view>

#include <ringside/result.h>

#include "session/component.h"

namespace ringside::components {

// Fails with not_found; the message names `component`.
Result<session::ComponentEvent> find_event(std::span<const session::ComponentEvent> events,
                                           std::string_view component, std::string_view name);

// For sources that count for the whole machine: a set of one CPU or one cgroup would be given what
// all of them did, so it is refused. Threads and processes are let through, because a program that
// measures itself names no target.
Result<void> refuse_parts_of_machine(const SetOptions& options, std::string_view component);

}  // namespace ringside::components
