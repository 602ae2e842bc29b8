#include "lab/scenario.h"

#include <array>
#include <optional>

#define TOML_HEADER_ONLY 1
#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/error.h"

namespace ringside::lab {

namespace {

constexpr std::array<std::string_view, event_names> names = {"cycles", "instructions", "branches",
                                                             "cache_misses"};

// The first error ends the parsing; every getter is total.
class Reader {
  public:
    explicit Reader(std::string file) : file_(std::move(file)) {}

    const std::optional<Error>& error() const { return error_; }

    void fail(const toml::node& at, const std::string& what) {
        const auto& where = at.source().begin;
        if (!error_) {
            error_ = base::fail(ErrorCode::bad_input,
                                fmt::format("{}:{}:{}: {}", file_, where.line, where.column, what));
        }
    }

    void allow_only(const toml::table& table, std::initializer_list<std::string_view> keys) {
        for (const auto& [key, value] : table) {
            bool known = false;
            for (const auto allowed : keys) known = known || key.str() == allowed;
            if (!known) fail(value, fmt::format("unknown key: {}", key.str()));
        }
    }

    std::string text(const toml::table& table, std::string_view key, std::string fallback) {
        const toml::node* node = table.get(key);
        if (node == nullptr) return fallback;
        if (!node->is_string()) fail(*node, fmt::format("{} wants a text", key));
        return node->value_or(fallback);
    }
    bool flag(const toml::table& table, std::string_view key) {
        const toml::node* node = table.get(key);
        if (node == nullptr) return false;
        if (!node->is_boolean()) fail(*node, fmt::format("{} wants true or false", key));
        return node->value_or(false);
    }
    std::uint64_t number(const toml::table& table, std::string_view key, std::uint64_t fallback,
                         std::uint64_t least, std::uint64_t most) {
        const toml::node* node = table.get(key);
        if (node == nullptr) return fallback;
        const auto value = node->value<std::int64_t>();
        const bool good = node->is_integer() && value && *value >= 0 &&
                          std::uint64_t(*value) >= least && std::uint64_t(*value) <= most;
        if (!good) fail(*node, fmt::format("{} wants a number from {} to {}", key, least, most));
        return good ? std::uint64_t(*value) : fallback;
    }
    EventName event(const toml::node& node) {
        const auto wanted = node.value<std::string_view>().value_or("");
        for (unsigned i = 0; i < event_names; ++i) {
            if (names[i] == wanted) return static_cast<EventName>(i);
        }
        fail(node, fmt::format("unknown event: {} (cycles, instructions, branches or cache_misses)",
                               wanted));
        return EventName::cycles;
    }
    vpmu::Policy policy(const toml::table& table) {
        const toml::node* node = table.get("policy");
        if (node == nullptr) return vpmu::Policy::mediated;
        const auto wanted = node->value<std::string_view>().value_or("");
        for (unsigned i = 0; i < vpmu::policy_count; ++i) {
            const auto policy = static_cast<vpmu::Policy>(i);
            if (policy != vpmu::Policy::paravirtual && wanted == vpmu::policies[i].name) {
                return policy;
            }
        }
        fail(*node, fmt::format("unknown policy: {}", wanted));
        return vpmu::Policy::mediated;
    }

  private:
    std::string file_;
    std::optional<Error> error_;
};

vpmu::PmuModel read_model(Reader& reader, const toml::table& host) {
    const std::string kind = reader.text(host, "architecture", "amd");
    if (kind == "amd") {
        return vpmu::amd_perfmon_v2(unsigned(reader.number(host, "counters", 6, 1, 16)));
    }
    if (kind == "intel") {
        return vpmu::intel_perfmon(unsigned(reader.number(host, "counters", 8, 1, 8)), 0);
    }
    if (kind == "arm64") {
        return vpmu::arm_pmuv3(unsigned(reader.number(host, "counters", 6, 1, 31)));
    }
    reader.fail(*host.get("architecture"), "architecture is intel, amd or arm64, not " + kind);
    return vpmu::amd_perfmon_v2();
}

// Calls `read` for each table of [[name]].
template <typename Read>
void each_table(Reader& reader, const toml::table& table, std::string_view name, Read read) {
    const toml::node* node = table.get(name);
    if (node == nullptr) return;
    const toml::array* array = node->as_array();
    if (array == nullptr) return reader.fail(*node, fmt::format("write it as [[{}]]", name));
    for (const toml::node& element : *array) {
        if (const toml::table* one = element.as_table()) {
            read(*one);
        } else {
            reader.fail(element, fmt::format("write it as [[{}]]", name));
        }
    }
}

HostProfile read_host_profile(Reader& reader, const toml::table& table) {
    reader.allow_only(table, {"event", "pinned", "counts_guests"});
    HostProfile profile;
    if (const toml::node* event = table.get("event")) profile.event = reader.event(*event);
    profile.pinned = reader.flag(table, "pinned");
    profile.counts_guests = reader.flag(table, "counts_guests");
    return profile;
}

MachinePlan read_machine(Reader& reader, const toml::table& table) {
    reader.allow_only(table, {"name", "policy", "vcpus", "exits_per_ms", "fast_percent", "rates",
                              "counts", "period", "consents"});
    MachinePlan plan;
    plan.name = reader.text(table, "name", "vm");
    plan.policy = reader.policy(table);
    plan.vcpus = unsigned(reader.number(table, "vcpus", 1, 1, 100'000));
    plan.exits_per_ms = unsigned(reader.number(table, "exits_per_ms", 1, 0, 1000));
    plan.fast_percent = unsigned(reader.number(table, "fast_percent", 0, 0, 100));
    plan.period = reader.number(table, "period", 0, 0, 1u << 30);
    plan.consents = reader.flag(table, "consents");
    if (const toml::table* rates = table["rates"].as_table()) {
        reader.allow_only(*rates, {names[0], names[1], names[2], names[3]});
        for (unsigned i = 0; i < event_names; ++i) {
            plan.per_ms[i] = reader.number(*rates, names[i], 0, 0, 1'000'000'000);
        }
    }
    if (const toml::array* counts = table["counts"].as_array()) {
        for (const toml::node& event : *counts) plan.counts.push_back(reader.event(event));
    }
    if (plan.period != 0 && plan.counts.empty()) {
        reader.fail(*table.get("period"), "period needs an event in counts");
    }
    return plan;
}

void check_whole(Reader& reader, const toml::table& root, const Scenario& scenario) {
    if (scenario.machines.empty()) reader.fail(root, "a scenario needs at least one [[vm]]");
    bool hides = false;
    for (const MachinePlan& plan : scenario.machines) {
        if (plan.counts.size() > scenario.model.general_count()) {
            reader.fail(root, fmt::format("{} counts {} events with {} counters", plan.name,
                                          plan.counts.size(), scenario.model.general_count()));
        }
        hides = hides || !vpmu::traits_of(plan.policy).host_sees_guest;
    }
    // As KVM: no mediated machine beside a host event that would count it.
    for (const HostProfile& profile : scenario.host) {
        if (hides && profile.counts_guests) {
            reader.fail(root, "a host event with counts_guests excludes every policy but legacy");
        }
    }
}

}  // namespace

std::string_view to_string(EventName name) {
    return names[static_cast<unsigned>(name)];
}

vpmu::Event encode(vpmu::Architecture architecture, EventName name) {
    // SDM table 20-1, AMD PPR (PMCx076, 0C0, 0C2, 064), Arm ARM D13.10.
    constexpr vpmu::Event encodings[3][event_names] = {
        {{0x3c, 0x00}, {0xc0, 0x00}, {0xc4, 0x00}, {0x2e, 0x41}},
        {{0x76, 0x00}, {0xc0, 0x00}, {0xc2, 0x00}, {0x64, 0x09}},
        {{0x11, 0x00}, {0x08, 0x00}, {0x21, 0x00}, {0x03, 0x00}},
    };
    return encodings[static_cast<unsigned>(architecture)][static_cast<unsigned>(name)];
}

Result<Scenario> parse_scenario(std::string_view text, const std::string& file) {
    toml::table root;
    try {
        root = toml::parse(text, file);
    } catch (const toml::parse_error& problem) {
        const auto& where = problem.source().begin;
        return base::fail(ErrorCode::bad_input, fmt::format("{}:{}:{}: {}", file, where.line,
                                                            where.column, problem.description()));
    }
    Reader reader(file);
    Scenario scenario;
    reader.allow_only(root, {"title", "duration_ms", "slice_ms", "host", "vm"});
    scenario.title = reader.text(root, "title", file);
    scenario.duration_ms = unsigned(reader.number(root, "duration_ms", 100, 1, 1'000'000));
    scenario.slice_ms = unsigned(reader.number(root, "slice_ms", 1, 1, 1000));
    const toml::table none;
    const toml::table* host = root["host"].as_table();
    if (host == nullptr) host = &none;
    reader.allow_only(*host, {"architecture", "counters", "cpus", "event"});
    scenario.model = read_model(reader, *host);
    scenario.cpus = unsigned(reader.number(*host, "cpus", 1, 1, 10'000));
    each_table(reader, *host, "event", [&](const toml::table& table) {
        scenario.host.push_back(read_host_profile(reader, table));
    });
    each_table(reader, root, "vm", [&](const toml::table& table) {
        scenario.machines.push_back(read_machine(reader, table));
    });
    if (!reader.error()) check_whole(reader, root, scenario);
    if (reader.error()) return *reader.error();
    return scenario;
}

}  // namespace ringside::lab
