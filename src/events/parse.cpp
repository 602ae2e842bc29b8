#include "events/parse.h"

#include <optional>

#include <linux/perf_event.h>

#include "base/error.h"
#include "base/text.h"
#include "events/catalogue.h"
#include "events/pmu.h"

namespace ringside::events {

namespace {

using base::fail;
using base::SysRoot;

struct Split {
    std::string_view name;
    std::string_view modifiers;
};

constexpr std::string_view modifier_letters = "ukhGHDp";

// The modifiers are what follows the last ':' or '/' and holds modifier letters only; the ':' of a
// tracepoint does not qualify.
Split split_modifiers(std::string_view text) {
    const auto mark = text.find_last_of(":/");
    if (mark == std::string_view::npos) return {text, {}};
    const auto tail = text.substr(mark + 1);
    if (tail.empty() || tail.find_first_not_of(modifier_letters) != std::string_view::npos) {
        return {text, {}};
    }
    return {text.substr(0, text[mark] == '/' ? mark + 1 : mark), tail};
}

// As perf does: naming a level includes it and excludes the levels that are not named.
void apply_modifiers(std::string_view modifiers, model::Event& event) {
    const auto has = [&](char letter) { return modifiers.find(letter) != std::string_view::npos; };
    if (has('u') || has('k') || has('h')) {
        event.exclude.user = !has('u');
        event.exclude.kernel = !has('k');
        event.exclude.hypervisor = !has('h');
        event.modes_named = true;
    }
    if (has('G') || has('H')) {
        event.exclude.guest = !has('G');
        event.exclude.host = !has('H');
    }
    event.pinned = has('D');
    for (const char letter : modifiers) event.precise += letter == 'p' ? 1 : 0;
}

std::optional<model::Event> catalogue_event(std::string_view name) {
    for (auto& entry : generic_events()) {
        if (entry.event.name == name || (!entry.alias.empty() && entry.alias == name)) {
            return std::move(entry.event);
        }
    }
    return std::nullopt;
}

std::optional<model::Event> architectural_event(std::string_view name) {
    for (const auto line : native_lines()) {
        for (auto& event : architectural_events(line)) {
            if (event.name == name) return std::move(event);
        }
    }
    return std::nullopt;
}

std::optional<model::Event> raw_event(std::string_view name) {
    if (name.size() < 2 || name.front() != 'r') return std::nullopt;
    const auto config = base::parse_u64(name.substr(1), 16);
    if (!config) return std::nullopt;
    model::Event event;
    event.kind = model::EventKind::raw;
    event.code = {PERF_TYPE_RAW, *config, 0, 0};
    return event;
}

Result<model::Event> resolve(const SysRoot& root, std::string_view name) {
    if (auto event = catalogue_event(name)) return std::move(*event);
    if (auto event = raw_event(name)) return std::move(*event);
    const auto slash = name.find('/');
    if (slash != std::string_view::npos && name.back() == '/' && slash + 1 < name.size()) {
        const auto terms = name.substr(slash + 1, name.size() - slash - 2);
        const auto code = encode_terms(root, name.substr(0, slash), terms);
        if (!code) return code.error();
        model::Event event;
        event.kind = model::EventKind::pmu;
        event.code = *code;
        return event;
    }
    const auto colon = name.find(':');
    if (colon != std::string_view::npos) {
        return tracepoint(root, name.substr(0, colon), name.substr(colon + 1));
    }
    if (auto event = architectural_event(name)) return std::move(*event);
    return fail(ErrorCode::not_found, "unknown event: " + std::string(name),
                "`ringside list` shows the events of this machine");
}

}  // namespace

std::string_view without_filter(std::string_view text, std::string& filter) {
    if (!text.ends_with('}')) return text;
    const auto brace = text.find('{');
    if (brace == std::string_view::npos) return text;
    filter = text.substr(brace + 1, text.size() - brace - 2);
    return text.substr(0, brace);
}

Result<model::Event> parse_event(const SysRoot& root, std::string_view text) {
    std::string filter;
    const Split parts = split_modifiers(without_filter(text, filter));
    if (parts.name.empty()) return fail(ErrorCode::bad_input, "an event needs a name");
    auto event = resolve(root, parts.name);
    if (!event) return event;
    event->name = std::string(text);
    apply_modifiers(parts.modifiers, *event);
    if (filter.empty()) return event;
    if (event->kind != model::EventKind::tracepoint) {
        return fail(ErrorCode::bad_input,
                    "only a tracepoint can be filtered, not " + std::string(parts.name));
    }
    event->filter = std::move(filter);
    return event;
}

std::string_view take_modifiers(std::string_view text, model::Event& event) {
    const Split parts = split_modifiers(text);
    apply_modifiers(parts.modifiers, event);
    return parts.name;
}

}  // namespace ringside::events
