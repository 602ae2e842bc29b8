#include "hyp/core/manifest.h"

namespace ringside::hyp {

namespace {

using Problem = const char*;

constexpr Problem none = nullptr;
constexpr std::uint64_t page_bytes = 4096;

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

class Words {
  public:
    explicit Words(std::string_view line) : rest_(line) { skip_spaces(); }

    bool is_empty() const { return rest_.empty(); }
    std::string_view rest() const { return rest_; }
    std::string_view next() {
        std::size_t length = 0;
        while (length < rest_.size() && !is_space(rest_[length])) ++length;
        const std::string_view word = rest_.substr(0, length);
        rest_.remove_prefix(length);
        skip_spaces();
        return word;
    }
    // Takes the word if it is the next one.
    bool next_is(std::string_view word) {
        Words ahead = *this;
        if (ahead.next() != word) return false;
        *this = ahead;
        return true;
    }

  private:
    void skip_spaces() {
        while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    }
    std::string_view rest_;
};

int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 16;
}

// Decimal, or hexadecimal after 0x.
bool parse_number(std::string_view word, std::uint64_t most, std::uint64_t& value) {
    const bool hex = word.starts_with("0x");
    if (hex) word.remove_prefix(2);
    const unsigned base = hex ? 16 : 10;
    std::uint64_t sum = 0;
    for (const char c : word) {
        const auto digit = static_cast<unsigned>(digit_of(c));
        if (digit >= base || sum > (most - digit) / base) return false;
        sum = sum * base + digit;
    }
    value = sum;
    return !word.empty();
}

bool parse_address(Words& words, std::uint64_t& value) {
    return parse_number(words.next(), 0xffff'ffff, value);
}

bool parse_policy(std::string_view name, vpmu::Policy& policy) {
    for (unsigned i = 0; i < vpmu::policy_count; ++i) {
        if (name != vpmu::policies[i].name) continue;
        policy = static_cast<vpmu::Policy>(i);
        return true;
    }
    return false;
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
    return parse_policy(words.next(), guest.policy) ? none : "no such policy";
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
    return none;
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
