#include "hyp/core/manifest.h"

#include "hyp/core/words.h"

namespace ringside::hyp {

namespace {

using Problem = const char*;

constexpr Problem none = nullptr;
constexpr std::uint64_t page_bytes = 4096;

bool parse_address(Words& words, std::uint64_t& value) {
    return parse_number(words.next(), 0xffff'ffff, value);
}

Problem parse_slice(Words& words, Manifest& into) {
    const bool good = parse_number(words.next(), 1'000'000, into.slice_us) && into.slice_us >= 10;
    return good ? none : "slice_us wants 10 to 1000000";
}

Problem parse_limit(Words& words, Manifest& into) {
    const bool good = parse_number(words.next(), 3'600'000, into.limit_ms) && into.limit_ms > 0;
    return good ? none : "limit_ms wants 1 to 3600000";
}

// host_event NUMBER [pinned] [guest_only|host_only] [period N]
Problem parse_host_event(Words& words, Manifest& into) {
    if (into.host_event_count == max_host_event_specs) return "too many host events";
    vpmu::HostEventRequest& request = into.host_events[into.host_event_count];
    request = {};
    std::uint64_t number = 0;
    if (!parse_number(words.next(), 0xffff, number)) return "host_event wants an event number";
    request.event.select = static_cast<std::uint16_t>(number);
    request.pinned = words.next_is("pinned");
    if (words.next_is("guest_only")) request.in_host = false;
    if (words.next_is("host_only")) request.in_guest = false;
    if (words.next_is("period") && !parse_number(words.next(), 0xffff'ffff, request.period)) {
        return "period wants a number of events";
    }
    ++into.host_event_count;
    return none;
}

Problem parse_guest(Words& words, Manifest& into) {
    if (into.guest_count == max_guests) return "too many guests";
    const std::string_view name = words.next();
    if (name.empty() || name.size() > 16) return "guest wants a name of up to 16 characters";
    for (unsigned i = 0; i < into.guest_count; ++i) {
        if (into.guests[i].name == name) return "two guests have the same name";
    }
    into.guests[into.guest_count++].name = name;
    return none;
}

// memory BASE BYTES [at GUEST_BASE]
Problem parse_memory(Words& words, GuestSpec& guest) {
    std::uint64_t base = 0;
    std::uint64_t bytes = 0;
    if (!parse_address(words, base) || !parse_address(words, bytes) || bytes == 0) {
        return "memory wants a base and a size";
    }
    guest.memory = range_of(base, bytes);
    guest.guest_base = base;
    if (words.next_is("at") && !parse_address(words, guest.guest_base)) {
        return "at wants the address where the guest sees its memory";
    }
    if ((base | bytes | guest.guest_base) % page_bytes != 0) return "memory is not in whole pages";
    return none;
}

Problem parse_filter(Words& words, GuestSpec& guest, vpmu::Filter::Action action) {
    if (guest.filter.count != 0) return "a guest has one filter";
    guest.filter.action = action;
    while (!words.is_empty()) {
        std::uint64_t event = 0;
        if (guest.filter.count == max_filter_events) return "too many events in the filter";
        if (!parse_number(words.next(), 0xffff, event)) return "a filter wants event numbers";
        guest.filter.entries[guest.filter.count++] = {.select = static_cast<std::uint16_t>(event)};
    }
    return guest.filter.count != 0 ? none : "a filter wants event numbers";
}

// forward NAME BASE BYTES [work N]
Problem parse_forward(Words& words, GuestSpec& guest) {
    if (guest.window_count == max_windows) return "too many windows";
    WindowSpec& window = guest.windows[guest.window_count++];
    std::uint64_t base = 0;
    std::uint64_t bytes = 0;
    window.name = words.next();
    if (!parse_address(words, base) || !parse_address(words, bytes) || bytes == 0) {
        return "forward wants a name, a base and a size";
    }
    if ((base | bytes) % page_bytes != 0) return "a window is not in whole pages";
    window.range = range_of(base, bytes);
    if (words.next_is("work") && !parse_number(words.next(), 1'000'000, window.work)) {
        return "work wants 0 to 1000000 instructions";
    }
    return none;
}

Problem parse_initrd(Words& words, GuestSpec& guest) {
    std::uint64_t base = 0;
    std::uint64_t bytes = 0;
    if (!parse_address(words, base) || !parse_address(words, bytes)) {
        return "initrd wants a base and a size";
    }
    guest.initrd = range_of(base, bytes);
    return none;
}

Problem parse_boot_arguments(Words& words, GuestSpec& guest) {
    guest.boot_arguments = words.rest();
    words = Words({});
    return none;
}

Problem parse_policy_of(Words& words, GuestSpec& guest) {
    return vpmu::find_policy(words.next(), guest.policy) ? none : "no such policy";
}

struct RunStatement {
    std::string_view name;
    Problem (*parse)(Words&, Manifest&);
};
constexpr RunStatement run_statements[] = {{"slice_us", parse_slice},
                                           {"limit_ms", parse_limit},
                                           {"host_event", parse_host_event},
                                           {"guest", parse_guest}};

struct GuestStatement {
    std::string_view name;
    Problem (*parse)(Words&, GuestSpec&);
};
constexpr GuestStatement guest_statements[] = {
    {"memory", parse_memory},
    {"entry",
     [](Words& w, GuestSpec& g) {
         return parse_address(w, g.entry) ? none : "entry wants an address";
     }},
    {"policy", parse_policy_of},
    {"deny", [](Words& w, GuestSpec& g) { return parse_filter(w, g, vpmu::Filter::Action::deny); }},
    {"allow",
     [](Words& w, GuestSpec& g) { return parse_filter(w, g, vpmu::Filter::Action::allow); }},
    {"device_tree",
     [](Words& w, GuestSpec& g) {
         return parse_address(w, g.device_tree) ? none : "device_tree wants an address";
     }},
    {"forward", parse_forward},
    {"initrd", parse_initrd},
    {"arguments", parse_boot_arguments},
};

struct Flag {
    std::string_view name;
    bool GuestSpec::*member;
};
constexpr Flag flags[] = {{"direct", &GuestSpec::direct},
                          {"consents", &GuestSpec::consents},
                          {"devices", &GuestSpec::devices},
                          {"leads", &GuestSpec::leads}};

Problem parse_guest_statement(std::string_view keyword, Words& words, GuestSpec& guest) {
    for (const GuestStatement& statement : guest_statements) {
        if (statement.name == keyword) return statement.parse(words, guest);
    }
    for (const Flag& flag : flags) {
        if (flag.name != keyword) continue;
        guest.*flag.member = true;
        return none;
    }
    return "unknown statement";
}

Problem parse_line(std::string_view line, Manifest& into) {
    Words words(line);
    if (words.is_empty() || words.rest().front() == '#') return none;
    const std::string_view keyword = words.next();
    for (const RunStatement& statement : run_statements) {
        if (statement.name != keyword) continue;
        const Problem problem = statement.parse(words, into);
        return problem == none && !words.is_empty() ? "more words than expected" : problem;
    }
    if (into.guest_count == 0) return "this statement belongs to a guest";
    const Problem problem =
        parse_guest_statement(keyword, words, into.guests[into.guest_count - 1]);
    return problem == none && !words.is_empty() ? "more words than expected" : problem;
}

Problem check_windows(const GuestSpec& guest, const Range& ram) {
    if (guest.window_count != 0 && !guest.devices) return "forward is for who owns the devices";
    for (unsigned i = 0; i < guest.window_count; ++i) {
        const Range& window = guest.windows[i].range;
        if (window.end > ram.begin) return "a window is not where the devices are";
        for (unsigned j = 0; j < i; ++j) {
            if (window.overlaps(guest.windows[j].range)) return "two windows overlap";
        }
    }
    return none;
}

Problem check_guest(const Manifest& manifest, unsigned index, const Range& ram,
                    const Range& reserved) {
    const GuestSpec& guest = manifest.guests[index];
    const Range seen = guest.guest_memory();
    if (guest.memory.is_empty() || seen.is_empty()) return "a guest has no memory";
    if (!ram.contains(guest.memory)) return "a guest does not fit the machine's memory";
    if (reserved.overlaps(guest.memory)) return "a guest lies on the hypervisor";
    if (!seen.contains(guest.entry)) return "a guest's entry is outside its memory";
    if (guest.device_tree != 0 && !seen.contains(guest.device_tree)) {
        return "a guest's device tree is outside its memory";
    }
    if (!guest.initrd.is_empty() && !seen.contains(guest.initrd)) {
        return "a guest's initrd is outside its memory";
    }
    if (seen.end > 0x1'0000'0000) return "a guest sees memory beyond 4 GiB";
    if (seen.begin < ram.begin) return "a guest sees memory where the devices are";
    for (unsigned i = 0; i < index; ++i) {
        if (manifest.guests[i].memory.overlaps(guest.memory)) return "two guests share memory";
        if (manifest.guests[i].devices && guest.devices) return "two guests own the devices";
    }
    return check_windows(guest, ram);
}

}  // namespace

ManifestProblem parse_manifest(std::string_view text, const Range& ram, const Range& reserved,
                               Manifest& into) {
    into = Manifest{};
    unsigned line_number = 0;
    while (!text.empty()) {
        ++line_number;
        const std::size_t length = text.find('\n');
        const std::string_view line = text.substr(0, length);
        if (const Problem problem = parse_line(line, into)) return {line_number, problem};
        text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
    }
    if (into.guest_count == 0) return {line_number, "no guest"};
    for (unsigned i = 0; i < into.guest_count; ++i) {
        if (const Problem problem = check_guest(into, i, ram, reserved)) {
            return {line_number, problem};
        }
    }
    return {};
}

}  // namespace ringside::hyp
