// The events Ringside knows by name without asking the machine. The tables are data/events/*.csv.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/event.h"

namespace ringside::events {

struct CatalogueEvent {
    model::Event event;
    std::string alias;  // perf's other name for it, or empty
};

// Hardware, cache and software events that the kernel names itself.
std::vector<CatalogueEvent> generic_events();

// Events a manual defines: `line` is "arm64", "intel" or "amd".
std::vector<model::Event> architectural_events(std::string_view line);

// arch/: the lines that this architecture's processors can be of.
std::span<const std::string_view> native_lines();

}  // namespace ringside::events
