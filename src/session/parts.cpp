#include "session/parts.h"

#include <algorithm>
#include <cmath>

namespace ringside::session {

namespace {

std::size_t part_for(std::vector<Part>& parts, std::size_t component) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].component == component) return i;
    }
    parts.emplace_back().component = component;
    return parts.size() - 1;
}

std::size_t index_in(Part& part, const ComponentEvent& event) {
    for (std::size_t i = 0; i < part.events.size(); ++i) {
        if (part.events[i].name == event.name) return i;
    }
    part.events.push_back(event);
    return part.events.size() - 1;
}

bool same_events(const Part& one, const Part& other) {
    return one.component == other.component &&
           std::equal(
               one.events.begin(), one.events.end(), other.events.begin(), other.events.end(),
               [](const ComponentEvent& a, const ComponentEvent& b) { return a.name == b.name; });
}

const Reading& reading_at(const Term& term, const std::vector<Part>& parts) {
    return parts[term.part].readings[term.index];
}

// What all terms have in common: the worst state, and the time all of them ran.
Reading frame_of(const Member& member, const std::vector<Part>& parts) {
    Reading frame;
    frame.running_ns = UINT64_MAX;
    for (const auto& term : member.terms) {
        if (!term.found) continue;
        const Reading& reading = reading_at(term, parts);
        if (frame.state == CounterState::ok) frame.state = reading.state;
        frame.enabled_ns = std::max(frame.enabled_ns, reading.enabled_ns);
        frame.running_ns = std::min(frame.running_ns, reading.running_ns);
    }
    frame.running_ns = std::min(frame.running_ns, frame.enabled_ns);
    return frame;
}

std::int64_t rounded(double value) {
    constexpr double most = 9.2e18;  // a little less than the largest number that fits
    return std::isnan(value) ? 0 : std::llround(std::clamp(value, -most, most));
}

// How far the formula moves when each term moves by its own error; errors of different terms are
// taken to be independent.
double error_of(Member& member, const std::vector<Part>& parts, double value) {
    double sum = 0;
    for (std::size_t i = 0; i < member.terms.size(); ++i) {
        if (!member.terms[i].found) continue;
        const auto error = static_cast<double>(reading_at(member.terms[i], parts).scale_error);
        if (error == 0) continue;
        member.room[i] += error;
        const double moved = member.formula->evaluate(member.room) - value;
        member.room[i] -= error;
        sum += moved * moved;
    }
    return std::sqrt(sum);
}

Reading formula_reading(Member& member, const std::vector<Part>& parts) {
    Reading reading = frame_of(member, parts);
    for (std::size_t i = 0; i < member.terms.size(); ++i) {
        const Term& term = member.terms[i];
        member.room[i] = term.found ? static_cast<double>(reading_at(term, parts).value)
                                    : static_cast<double>(reading.enabled_ns) / 1e9;
    }
    reading.exact = member.formula->evaluate(member.room);
    reading.value = rounded(reading.exact);
    reading.scale_error = rounded(error_of(member, parts, reading.exact));
    // Nothing was counted that it could be divided by.
    if (std::isnan(reading.exact) && reading.state == CounterState::ok) {
        reading.state = CounterState::not_scheduled;
    }
    return reading;
}

}  // namespace

Result<Member> make_member(const Session::Impl& session, std::string_view name) {
    auto resolved = resolve(session, name);
    if (!resolved) return resolved.error();
    Member member;
    member.name = name;
    for (const auto& each : resolved->expression.names()) {
        Term& term = member.terms.emplace_back();
        if (each == events::seconds_name) continue;
        auto found = find_event(session, each);
        if (!found) return found.error();
        term.found = std::move(*found);
    }
    member.room.resize(member.terms.size());
    if (!resolved->expression.is_name()) member.formula = std::move(resolved->expression);
    return member;
}

std::vector<Part> arrange(std::vector<Member>& members) {
    std::vector<Part> parts;
    for (auto& member : members) {
        for (auto& term : member.terms) {
            if (!term.found) continue;
            term.part = part_for(parts, term.found->component);
            term.index = index_in(parts[term.part], term.found->event);
        }
    }
    for (auto& part : parts) {
        part.readings.resize(part.events.size());
        part.before.resize(part.events.size());
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

Reading reading_of(Member& member, const std::vector<Part>& parts) {
    if (member.formula) return formula_reading(member, parts);
    Reading reading = reading_at(member.terms.front(), parts);
    reading.exact = static_cast<double>(reading.value);
    return reading;
}

}  // namespace ringside::session
