// Short ways for tests of components: open events by name, and read values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "session/component.h"

namespace ringside::components {

inline Result<session::CountersPtr> open_named(const session::Component& component,
                                               const std::vector<std::string_view>& names,
                                               const SetOptions& options = {}) {
    std::vector<session::ComponentEvent> events;
    for (const auto name : names) {
        auto event = component.find(name);
        if (!event) return event.error();
        events.push_back(std::move(*event));
    }
    return component.open(events, options);
}

// Started; a failure fails the test and gives null.
inline session::CountersPtr started(const session::Component& component,
                                    const std::vector<std::string_view>& names,
                                    const SetOptions& options = {}) {
    auto counters = open_named(component, names, options);
    if (!counters) {
        ADD_FAILURE() << counters.error().what;
        return nullptr;
    }
    const auto begun = (*counters)->start();
    if (!begun) ADD_FAILURE() << begun.error().what;
    return std::move(*counters);
}

inline std::vector<Reading> readings(session::Counters& counters, std::size_t count) {
    std::vector<Reading> all(count);
    const auto done = counters.read(all);
    if (!done) ADD_FAILURE() << done.error().what;
    return all;
}

inline std::vector<std::int64_t> values(session::Counters& counters, std::size_t count) {
    std::vector<std::int64_t> all;
    for (const auto& reading : readings(counters, count)) all.push_back(reading.value);
    return all;
}

inline std::vector<std::string> names(const session::Component& component) {
    std::vector<std::string> all;
    for (const auto& event : component.events()) all.push_back(event.name);
    return all;
}

}  // namespace ringside::components
