// ringside list: the events that can be opened here, and the components they belong to.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/json_text.h"
#include "cli/output.h"
#include "cli/style.h"
#include "cli/verbs.h"
#include "components/registry.h"
#include "platform/machine.h"
#include "trust/listing.h"

namespace ringside::cli {

namespace {

using Json = nlohmann::ordered_json;
using trust::Listed;

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
    std::vector<Listed> events;
    std::vector<ComponentFound> components;
    std::vector<ComponentListed> component_events;
};

// A component is listed if its name matches, or one of its events.
void add_component(const session::Component& component, const std::string& pattern, bool all,
                   Listing& listing) {
    const std::string name(component.name());
    if (name == "cpu") return;
    std::vector<ComponentListed> found;
    for (auto& event : component.events()) {
        const auto whole_name = name + ":::" + event.name;
        if (trust::matches(whole_name, pattern))
            found.push_back({std::move(event), name, whole_name});
    }
    if (found.empty() && !(all && trust::matches(name, pattern))) return;
    listing.components.push_back(
        {name, std::string(component.description()), component.availability()});
    std::move(found.begin(), found.end(), std::back_inserter(listing.component_events));
}

Listing make_listing(const std::string& pattern, bool all) {
    const base::SysRoot root;
    Listing listing;
    listing.events = trust::list_events(root, platform::describe(root), pattern);
    if (!all) {
        std::erase_if(listing.events, [](const Listed& e) { return e.state != CounterState::ok; });
    }
    for (const auto& component : components::all_components(root)) {
        add_component(*component, pattern, all, listing);
    }
    return listing;
}

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
    return json_text(json);
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

class List : public Verb {
  public:
    std::string name() const override { return "list"; }
    std::string summary() const override { return "the events that can be opened here"; }
    std::string examples() const override {
        return "  ringside list                    every event that opens here\n"
               "  ringside list 'kvm:*'            tracepoints of KVM, and its component\n"
               "  ringside list net:::             what the net component counts\n"
               "  ringside list --all cache        also those that do not open, and why\n";
    }
    void declare(Options& options) override {
        declare_output(options, output_, false);
        options.flag("--all", all_, "also what cannot be opened, with the reason");
        options.operand("PATTERN", pattern_, "a part of the name, or a shell pattern", false);
    }

    Outcome run() override {
        const Listing listing = make_listing(pattern_, all_);
        const auto text = output_.json ? list_json(listing) : list_text(listing, Style(stdout));
        if (auto done = deliver(output_, text); !done) return done.error();
        return 0;
    }

  private:
    OutputChoice output_;
    bool all_ = false;
    std::string pattern_;
};

}  // namespace

std::unique_ptr<Verb> make_list() {
    return std::make_unique<List>();
}

}  // namespace ringside::cli
