#include "events/pmu.h"

#include <linux/perf_event.h>

#include "base/error.h"
#include "base/text.h"
#include "proc/mounts.h"

namespace ringside::events {

namespace {

using base::fail;
using base::SysRoot;

constexpr std::string_view devices = "/sys/bus/event_source/devices/";

// A name that goes into a path must not leave its folder.
bool is_plain_name(std::string_view name) {
    return !name.empty() && name.find('/') == std::string_view::npos && name.front() != '.';
}

std::uint64_t* word_named(model::EventCode& code, std::string_view name) {
    if (name == "config") return &code.config;
    if (name == "config1") return &code.config1;
    if (name == "config2") return &code.config2;
    return nullptr;
}

struct BitRange {
    unsigned low;
    unsigned high;
};

std::optional<BitRange> parse_range(std::string_view text) {
    const auto dash = text.find('-');
    const auto low = base::parse_u64(text.substr(0, dash));
    const auto high = dash == std::string_view::npos ? low : base::parse_u64(text.substr(dash + 1));
    if (!low || !high || *low > *high || *high > 63) return std::nullopt;
    return BitRange{static_cast<unsigned>(*low), static_cast<unsigned>(*high)};
}

// Spreads `value` over the bits a format file names, "config:0-7,32-35", lowest first. False if
// the format cannot be read or the value does not fit.
bool place(model::EventCode& code, std::string_view format, std::uint64_t value) {
    const auto colon = format.find(':');
    if (colon == std::string_view::npos) return false;
    std::uint64_t* word = word_named(code, format.substr(0, colon));
    if (word == nullptr) return false;
    for (const auto part : base::split(format.substr(colon + 1), ',')) {
        const auto range = parse_range(part);
        if (!range) return false;
        const unsigned width = range->high - range->low + 1;
        const std::uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
        *word = (*word & ~(mask << range->low)) | (value & mask) << range->low;
        value = width == 64 ? 0 : value >> width;
    }
    return value == 0;
}

std::optional<std::uint64_t> term_value(std::string_view text) {
    return base::parse_u64(text, text.starts_with("0x") ? 16 : 10);
}

Result<void> apply_terms(const SysRoot& root, const std::string& device, std::string_view terms,
                         model::EventCode& code, bool may_be_name);

Result<void> apply_term(const SysRoot& root, const std::string& device, std::string_view term,
                        model::EventCode& code, bool may_be_name) {
    const auto equals = term.find('=');
    const std::string name(base::trim(term.substr(0, equals)));
    if (!is_plain_name(name)) return fail(ErrorCode::bad_input, "not an event term: " + name);
    if (equals == std::string_view::npos && may_be_name) {
        if (const auto alias = root.read_trimmed(device + "/events/" + name)) {
            return apply_terms(root, device, *alias, code, false);
        }
    }
    const auto value = equals == std::string_view::npos
                           ? std::optional<std::uint64_t>(1)
                           : term_value(base::trim(term.substr(equals + 1)));
    if (!value) return fail(ErrorCode::bad_input, "not a number in " + std::string(term));
    if (std::uint64_t* word = word_named(code, name)) {
        *word = *value;
        return {};
    }
    const auto format = root.read_trimmed(device + "/format/" + name);
    if (!format) {
        return fail(ErrorCode::not_found, device + " has no event or term named " + name,
                    "`ringside list` shows the events of this machine");
    }
    if (!place(code, *format, *value)) {
        return fail(ErrorCode::bad_input, std::string(term) + " does not fit " + *format);
    }
    return {};
}

Result<void> apply_terms(const SysRoot& root, const std::string& device, std::string_view terms,
                         model::EventCode& code, bool may_be_name) {
    for (const auto term : base::split(terms, ',')) {
        if (auto done = apply_term(root, device, term, code, may_be_name); !done) return done;
    }
    return {};
}

std::string tracefs_events(const SysRoot& root) {
    return proc::tracefs_folder(root) + "/events";
}

// Units and scales lie beside the events as "name.unit"; they are not events.
bool is_event_file(std::string_view name) {
    return name.find('.') == std::string_view::npos;
}

}  // namespace

Result<model::EventCode> encode_terms(const SysRoot& root, std::string_view pmu,
                                      std::string_view terms) {
    if (!is_plain_name(pmu)) return fail(ErrorCode::bad_input, "not a PMU: " + std::string(pmu));
    const std::string device = std::string(devices) + std::string(pmu);
    const auto type_text = root.read_trimmed(device + "/type");
    const auto type = type_text ? base::parse_u64(*type_text) : std::nullopt;
    if (!type) {
        return fail(ErrorCode::not_found, "this machine has no PMU named " + std::string(pmu),
                    "see /sys/bus/event_source/devices");
    }
    model::EventCode code;
    code.type = static_cast<std::uint32_t>(*type);
    if (auto done = apply_terms(root, device, terms, code, true); !done) return done.error();
    return code;
}

std::vector<model::Event> pmu_events(const SysRoot& root) {
    std::vector<model::Event> events;
    const auto pmus = root.list("/sys/bus/event_source/devices");
    if (!pmus) return events;
    for (const auto& pmu : *pmus) {
        const auto names = root.list(std::string(devices) + pmu + "/events");
        if (!names) continue;
        for (const auto& name : *names) {
            if (!is_event_file(name)) continue;
            const auto code = encode_terms(root, pmu, name);
            if (!code) continue;
            model::Event event;
            event.name = pmu + "/" + name + "/";
            event.kind = model::EventKind::pmu;
            event.code = *code;
            events.push_back(std::move(event));
        }
    }
    return events;
}

Result<model::Event> tracepoint(const SysRoot& root, std::string_view system,
                                std::string_view name) {
    const std::string full = std::string(system) + ":" + std::string(name);
    if (!is_plain_name(system) || !is_plain_name(name)) {
        return fail(ErrorCode::bad_input, "not a tracepoint: " + full);
    }
    const std::string file =
        tracefs_events(root) + "/" + std::string(system) + "/" + std::string(name) + "/id";
    const auto text = root.read_trimmed(file);
    if (!text && text.error().code == ErrorCode::not_permitted) return text.error();
    const auto id = text ? base::parse_u64(*text) : std::nullopt;
    if (!id) {
        return fail(ErrorCode::not_found, "this kernel has no tracepoint " + full,
                    "load the module that defines it, or mount tracefs");
    }
    model::Event event;
    event.name = full;
    event.kind = model::EventKind::tracepoint;
    event.code = {PERF_TYPE_TRACEPOINT, *id, 0, 0};
    return event;
}

std::vector<model::Event> tracepoints(const SysRoot& root) {
    std::vector<model::Event> events;
    const auto systems = root.list(tracefs_events(root));
    if (!systems) return events;
    for (const auto& system : *systems) {
        const auto names = root.list(tracefs_events(root) + "/" + system);
        if (!names) continue;
        for (const auto& name : *names) {
            if (auto event = tracepoint(root, system, name)) events.push_back(std::move(*event));
        }
    }
    return events;
}

}  // namespace ringside::events
