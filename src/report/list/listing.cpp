#include "report/list/listing.h"

#include <fmt/format.h>

#include "base/json.h"

namespace ringside::report {

namespace {

using base::Json;
using trust::Listed;

Json events_json(const Listing& listing) {
    Json events = Json::array();
    for (const auto& listed : listing.events) {
        events.push_back({{"name", listed.event.name},
                          {"kind", model::to_string(listed.event.kind)},
                          {"state", to_string(listed.state)},
                          {"reason", listed.reason}});
    }
    for (const auto& listed : listing.component_events) {
        events.push_back({{"name", listed.name},
                          {"kind", listed.component},
                          {"state", to_string(CounterState::ok)},
                          {"reason", ""},
                          {"description", listed.event.description},
                          {"unit", listed.event.unit},
                          {"level", listed.event.level}});
    }
    return events;
}

std::string line(std::string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text + '\n';
}

std::string event_line(const Listed& listed, const Style& style) {
    auto text =
        fmt::format("{:<40} {:<14}", listed.event.name, model::to_string(listed.event.kind));
    if (listed.state != CounterState::ok) {
        text += fmt::format(" {}", style.warn(fmt::format("{:<13}", to_string(listed.state))));
    }
    if (!listed.reason.empty()) text += fmt::format(" {}", style.dim(listed.reason));
    return line(std::move(text));
}

}  // namespace

std::string list_json(const Listing& listing) {
    Json json;
    json["schema"] = "ringside.list/1";
    json["components"] = Json::array();
    for (const auto& found : listing.components) {
        json["components"].push_back({{"name", found.name},
                                      {"description", found.description},
                                      {"usable", found.availability.usable},
                                      {"reason", found.availability.reason}});
    }
    json["events"] = events_json(listing);
    return json.text();
}

std::string list_text(const Listing& listing, const Style& style) {
    std::string text;
    for (const auto& listed : listing.events) text += event_line(listed, style);
    for (const auto& listed : listing.component_events) {
        const auto& [event, component, name] = listed;
        const auto unit = event.unit.empty() ? "" : fmt::format(" [{}]", event.unit);
        text += line(
            fmt::format("{:<40} {:<14} {}", name, component, style.dim(event.description + unit)));
    }
    for (const auto& found : listing.components) {
        if (found.availability.usable) continue;
        text += line(fmt::format("{:<40} {:<14} {} {}", found.name + ":::", "component",
                                 style.warn(fmt::format("{:<13}", "absent")),
                                 style.dim(found.availability.reason)));
    }
    return text;
}

}  // namespace ringside::report
