#include "session/resolve.h"

#include <algorithm>

#include "base/error.h"

namespace ringside::session {

namespace {

using events::Expression;

constexpr std::string_view separator = ":::";
constexpr std::size_t most_nested = 8;

// Puts in definitions for names until only events are left. `within` are the definitions under way:
// inside of its own definition a name means the event.
class Expansion {
  public:
    explicit Expansion(const Session::Impl& session) : session_(session) {}

    Result<Resolved> expand(std::string_view name) {
        auto definitions = definitions_of(name);
        if (definitions.empty()) return as_event(name);
        Error last;
        for (auto& definition : definitions) {
            within_.emplace_back(name);
            auto whole = put_in(definition.expression);
            within_.pop_back();
            if (whole) {
                return Resolved{std::move(*whole), std::move(definition.formula),
                                std::move(definition.unit), std::move(definition.description)};
            }
            last = whole.error();
        }
        last.what = std::string(name) + ": " + last.what;
        return last;
    }

  private:
    std::vector<events::Definition> definitions_of(std::string_view name) const {
        const bool under_way = std::find(within_.begin(), within_.end(), name) != within_.end();
        const bool plain = name.find(separator) != std::string_view::npos;
        if (under_way || plain) return {};
        return session_.definitions.of(name);
    }

    Result<Resolved> as_event(std::string_view name) const {
        auto expression = Expression::of_name(std::string(name));
        if (name == events::seconds_name && !within_.empty()) {
            return Resolved{std::move(expression), {}, {}, {}};
        }
        auto found = find_event(session_, name);
        if (!found) return found.error();
        return Resolved{std::move(expression),
                        {},
                        std::move(found->event.unit),
                        std::move(found->event.description)};
    }

    Result<Expression> put_in(const Expression& expression) {
        if (within_.size() > most_nested) {
            return base::fail(ErrorCode::bad_input, "metrics are defined by each other too deeply");
        }
        std::vector<Expression> parts;
        for (const auto& name : expression.names()) {
            auto part = expand(name);
            if (!part) return part.error();
            parts.push_back(std::move(part->expression));
        }
        return expression.with(parts);
    }

    const Session::Impl& session_;
    std::vector<std::string> within_;
};

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

Result<Resolved> resolve(const Session::Impl& session, std::string_view name) {
    return Expansion(session).expand(name);
}

}  // namespace ringside::session
