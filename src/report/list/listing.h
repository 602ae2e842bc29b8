// The events that can be opened here, and the components they belong to.
#pragma once

#include <string>
#include <vector>

#include "report/style.h"
#include "session/component.h"
#include "trust/listing.h"

namespace ringside::report {

// An event of a component other than the processor's, whose events are listed one by one already.
struct ComponentListed {
    session::ComponentEvent event;
    std::string component;
    std::string name;  // as an event set takes it
};

struct ComponentFound {
    std::string name;
    std::string description;
    session::Availability availability;
};

struct Listing {
    std::vector<trust::Listed> events;
    std::vector<ComponentFound> components;
    std::vector<ComponentListed> component_events;
};

std::string list_text(const Listing& listing, const Style& style);
// Schema "ringside.list/1".
std::string list_json(const Listing& listing);

}  // namespace ringside::report
