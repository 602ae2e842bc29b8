#include "compare/run.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ringside::compare {

namespace {

constexpr std::array<std::pair<SideKind, std::string_view>, 5> kinds = {{
    {SideKind::native, "native"},
    {SideKind::kvm, "kvm"},
    {SideKind::tcg, "tcg"},
    {SideKind::ssh, "ssh"},
    {SideKind::file, "file"},
}};

template <typename T>
const T* find_event(const std::vector<T>& all, std::string_view event) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const T& one) { return one.event == event; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

const Count* Run::find(std::string_view event) const {
    return find_event(counts, event);
}

const Sampled* Run::find_sampled(std::string_view event) const {
    return find_event(sampled, event);
}

std::string_view to_string(SideKind kind) {
    for (const auto& [each, name] : kinds) {
        if (each == kind) return name;
    }
    return "file";
}

std::optional<SideKind> parse_side_kind(std::string_view text) {
    for (const auto& [kind, name] : kinds) {
        if (name == text) return kind;
    }
    return std::nullopt;
}

}  // namespace ringside::compare
