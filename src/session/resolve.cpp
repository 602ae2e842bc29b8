#include "session/resolve.h"

#include "base/error.h"

namespace ringside::session {

namespace {

constexpr std::string_view separator = ":::";

}  // namespace

Result<std::size_t> component_named(const Session::Impl& session, std::string_view name) {
    std::string known;
    for (std::size_t i = 0; i < session.components.size(); ++i) {
        if (session.components[i]->name() == name) return i;
        known += (known.empty() ? "" : ", ") + std::string(session.components[i]->name());
    }
    return base::fail(ErrorCode::not_found, "no component named " + std::string(name),
                      "there are: " + known);
}

Result<Found> find_event(const Session::Impl& session, std::string_view name) {
    const auto mark = name.find(separator);
    const bool named = mark != std::string_view::npos;
    const auto component =
        named ? component_named(session, name.substr(0, mark)) : Result<std::size_t>(0);
    if (!component) return component.error();
    if (*component >= session.components.size()) {
        return base::fail(ErrorCode::not_found, "unknown event: " + std::string(name));
    }
    auto event =
        session.components[*component]->find(named ? name.substr(mark + separator.size()) : name);
    if (!event) return event.error();
    return Found{*component, std::move(*event)};
}

}  // namespace ringside::session
