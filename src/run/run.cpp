#include "run/run.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ringside::run {

namespace {

constexpr std::array<std::pair<SideKind, std::string_view>, 5> kinds = {{
    {SideKind::native, "native"},
    {SideKind::kvm, "kvm"},
    {SideKind::tcg, "tcg"},
    {SideKind::ssh, "ssh"},
    {SideKind::file, "file"},
}};

constexpr std::array<std::pair<Per, std::string_view>, 4> per_names = {{
    {Per::run, "run"},
    {Per::second, "second"},
    {Per::instruction, "instruction"},
    {Per::share, "share"},
}};

}  // namespace

const Measurement* Run::find(std::string_view name) const {
    const auto found = std::find_if(counts.begin(), counts.end(),
                                    [&](const Measurement& one) { return one.name == name; });
    return found == counts.end() ? nullptr : &*found;
}

const Sampled* Run::find_sampled(std::string_view event) const {
    const auto found = std::find_if(sampled.begin(), sampled.end(),
                                    [&](const Sampled& one) { return one.event == event; });
    return found == sampled.end() ? nullptr : &*found;
}

std::string_view to_string(Per per) {
    for (const auto& [each, name] : per_names) {
        if (each == per) return name;
    }
    return "run";
}

std::optional<Per> parse_per(std::string_view text) {
    for (const auto& [per, name] : per_names) {
        if (name == text) return per;
    }
    return std::nullopt;
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

}  // namespace ringside::run
