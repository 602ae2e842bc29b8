#include "measure/events.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "components/cpu/resolve.h"
#include "events/parse.h"
#include "session/definitions.h"

namespace ringside::measure {

namespace {

using base::fail;
using components::cpu::CountedEvent;
using components::cpu::Resolver;

bool is_path_event(std::string_view text) {
    return text.starts_with("uprobe:") || text.starts_with("uretprobe:");
}

// How long the first event of the list is: a comma inside of a PMU's slashes or of a filter's
// braces belongs to it. A program's path may have any number of slashes.
std::size_t first_length(std::string_view list) {
    const bool path = is_path_event(list);
    bool in_terms = false;
    int braces = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const char letter = list[i];
        if (letter == '/' && !path && braces == 0) in_terms = !in_terms;
        if (letter == '{') ++braces;
        if (letter == '}') --braces;
        if (letter == ',' && !in_terms && braces <= 0) return i;
    }
    return list.size();
}

AskedEvent optional_event(const char* name, bool user_only) {
    AskedEvent event;
    event.name = user_only ? std::string(name) + ":u" : name;
    event.optional = true;
    return event;
}

std::vector<std::string> split_events(std::string_view list) {
    std::vector<std::string> names(1);
    bool in_terms = false;
    for (const char letter : list) {
        if (letter == '/') in_terms = !in_terms;
        if (letter == ',' && !in_terms)
            names.emplace_back();
        else
            names.back() += letter;
    }
    return names;
}

// A preset can be sampled where it is one event and no formula.
Result<CountedEvent> resolve_sampled(const base::SysRoot& root, const Resolver& resolver,
                                     const std::string& name) {
    auto found = resolver.resolve(name);
    if (found) return found;
    const session::Definitions definitions(root);
    const auto meanings = definitions.of(name);
    for (const auto& meaning : meanings) {
        if (!meaning.expression.is_name()) continue;
        if (auto event = resolver.resolve(meaning.expression.names().front())) return event;
    }
    if (!meanings.empty())
        return base::fail(ErrorCode::bad_input, name + " is worked out from several events",
                          "only events themselves can be sampled; `ringside list` shows them");
    return found;
}

}  // namespace

Result<std::vector<AskedEvent>> parse_event_list(std::string_view text) {
    std::vector<AskedEvent> events;
    for (std::string_view rest = text;;) {
        const std::size_t length = first_length(rest);
        const auto one = base::trim(rest.substr(0, length));
        if (one.starts_with('{')) {
            return fail(ErrorCode::bad_input,
                        "events are not grouped in braces: " + std::string(one),
                        "name them comma-separated; a value that was scaled says so");
        }
        AskedEvent event;
        event.name = events::without_filter(one, event.filter);
        if (event.name.empty()) {
            return fail(ErrorCode::bad_input, "an event has no name: " + std::string(text));
        }
        events.push_back(std::move(event));
        if (length == rest.size()) return events;
        rest.remove_prefix(length + 1);
    }
}

std::vector<AskedEvent> default_events(bool user_only) {
    std::vector<AskedEvent> events{optional_event("task-clock", user_only)};
    if (!user_only) {
        events.push_back(optional_event("context-switches", false));
        events.push_back(optional_event("cpu-migrations", false));
    }
    for (const auto* name :
         {"page-faults", "cycles", "instructions", "branches", "branch-misses"}) {
        events.push_back(optional_event(name, user_only));
    }
    return events;
}

Result<std::vector<AskedEvent>> find_metrics(const Session& session, const std::string& name) {
    const auto names = session.metric_names();
    std::vector<AskedEvent> found;
    for (const auto& each : names) {
        if (each != name && !each.starts_with(name + ".")) continue;
        found.emplace_back().name = each;
        found.back().metric = true;
    }
    if (!found.empty()) return found;
    std::string known;
    for (const auto& each : names) {
        if (each.starts_with("PAPI_")) continue;
        known += (known.empty() ? "" : ", ") + each;
    }
    return fail(ErrorCode::not_found, "no metric " + name + " for this processor",
                "there are " + known + ", and PAPI's presets");
}

Result<std::vector<record::SampledEvent>> find_sampled_events(
    const base::SysRoot& root, const std::vector<std::string>& lists) {
    const Resolver resolver(root);
    std::vector<record::SampledEvent> events;
    for (const auto& list : lists) {
        for (const auto& name : split_events(list)) {
            auto counted = resolve_sampled(root, resolver, name);
            if (!counted) return counted.error();
            for (auto& part : counted->parts)
                events.push_back({std::move(part.event), std::move(part.cpus)});
        }
    }
    return events;
}

}  // namespace ringside::measure
