#include "session/parts.h"

#include <algorithm>

namespace ringside::session {

namespace {

std::size_t part_for(std::vector<Part>& parts, std::size_t component) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].component == component) return i;
    }
    parts.emplace_back().component = component;
    return parts.size() - 1;
}

bool same_events(const Part& one, const Part& other) {
    return one.component == other.component &&
           std::equal(
               one.events.begin(), one.events.end(), other.events.begin(), other.events.end(),
               [](const ComponentEvent& a, const ComponentEvent& b) { return a.name == b.name; });
}

}  // namespace

std::vector<Part> arrange(std::vector<Member>& members) {
    std::vector<Part> parts;
    for (auto& member : members) {
        member.slot.part = part_for(parts, member.found.component);
        Part& part = parts[member.slot.part];
        member.slot.index = part.events.size();
        part.events.push_back(member.found.event);
    }
    for (auto& part : parts) {
        part.readings.resize(part.events.size());
        part.values.resize(part.events.size());
    }
    return parts;
}

Result<void> open_parts(const Session::Impl& session, const SetOptions& options,
                        std::vector<Part>& parts, std::vector<Part>& old) {
    std::vector<Part*> kept(parts.size(), nullptr);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        for (auto& before : old) {
            if (same_events(parts[i], before)) kept[i] = &before;
        }
        if (kept[i] != nullptr) continue;
        auto counters = session.components[parts[i].component]->open(parts[i].events, options);
        if (!counters) return counters.error();
        parts[i].counters = std::move(*counters);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (kept[i] != nullptr) parts[i].counters = std::move(kept[i]->counters);
    }
    return {};
}

}  // namespace ringside::session
