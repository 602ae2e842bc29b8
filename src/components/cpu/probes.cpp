#include "components/cpu/probes.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "events/parse.h"
#include "events/pmu.h"
#include "symbols/elf_file.h"

namespace ringside::components::cpu {

namespace {

using base::fail;

constexpr std::size_t largest_program_bytes = std::size_t{1} << 30;

struct Kind {
    std::string_view prefix;
    std::string_view pmu;
    bool returns;
};
constexpr Kind kinds[] = {{"kprobe:", "kprobe", false},
                          {"kretprobe:", "kprobe", true},
                          {"uprobe:", "uprobe", false},
                          {"uretprobe:", "uprobe", true}};

const Kind* kind_of(std::string_view name) {
    const auto* found = std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& kind) {
        return name.starts_with(kind.prefix);
    });
    return found == std::end(kinds) ? nullptr : found;
}

std::optional<std::uint64_t> parse_offset(std::string_view text) {
    return base::parse_u64(text, text.starts_with("0x") ? 16 : 10);
}

// "malloc+0x10" or "malloc".
struct Place {
    std::string_view function;
    std::uint64_t offset = 0;
};
Result<Place> parse_place(std::string_view text) {
    const auto plus = text.rfind('+');
    const auto offset = plus == std::string_view::npos ? std::optional<std::uint64_t>(0)
                                                       : parse_offset(text.substr(plus + 1));
    const Place place{text.substr(0, plus), offset.value_or(0)};
    if (!offset || place.function.empty()) {
        return fail(ErrorCode::bad_input, "not a place for a probe: " + std::string(text),
                    "write FUNCTION or FUNCTION+OFFSET");
    }
    return place;
}

// The kernel knows files by the offset of a byte, people know functions.
Result<std::uint64_t> offset_in_program(const base::SysRoot& root, const std::string& path,
                                        std::string_view where) {
    if (const auto offset = parse_offset(where)) return *offset;
    const auto place = parse_place(where);
    if (!place) return place.error();
    const auto bytes = root.read(path, largest_program_bytes);
    if (!bytes) return bytes.error();
    const auto begin =
        symbols::offset_of_function(std::as_bytes(std::span(*bytes)), place->function);
    if (!begin) {
        return fail(ErrorCode::not_found, path + " has no function " + std::string(place->function),
                    "give the byte's offset in the file instead; a stripped file has few names");
    }
    return *begin + place->offset;
}

Result<void> aim_at_kernel(std::string_view where, model::Event& event) {
    const auto place = parse_place(where);
    if (!place) return place.error();
    event.probe_text = place->function;
    event.code.config2 = place->offset;
    return {};
}

Result<void> aim_at_program(const base::SysRoot& root, std::string_view where,
                            model::Event& event) {
    const auto colon = where.rfind(':');
    if (colon == std::string_view::npos) {
        return fail(ErrorCode::bad_input, "a probe needs a program and a place in it",
                    "write uprobe:PATH:FUNCTION");
    }
    const std::string path(where.substr(0, colon));
    std::error_code problem;
    event.probe_text = std::filesystem::canonical(root.locate(path), problem).string();
    if (problem) return base::fail_errno(problem.value(), "cannot probe " + path);
    const auto offset = offset_in_program(root, path, where.substr(colon + 1));
    if (!offset) return offset.error();
    event.code.config2 = *offset;
    return {};
}

}  // namespace

bool is_probe_name(std::string_view name) {
    return kind_of(name) != nullptr;
}

Result<model::Event> probe_event(const base::SysRoot& root, std::string_view name) {
    const Kind& kind = *kind_of(name);
    auto code = events::encode_terms(root, kind.pmu, kind.returns ? "retprobe=1" : "retprobe=0");
    if (!code) {
        return fail(ErrorCode::unsupported,
                    "this kernel makes no " + std::string(kind.pmu) + "s: " + code.error().what,
                    "it needs CONFIG_KPROBE_EVENTS or CONFIG_UPROBE_EVENTS");
    }
    model::Event event;
    event.name = name;
    event.kind = model::EventKind::probe;
    event.code = *code;
    const auto where = events::take_modifiers(name.substr(kind.prefix.size()), event);
    auto aimed =
        kind.pmu == "kprobe" ? aim_at_kernel(where, event) : aim_at_program(root, where, event);
    if (!aimed) return aimed.error();
    return event;
}

}  // namespace ringside::components::cpu
