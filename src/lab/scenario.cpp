#include "lab/scenario.h"

#include <fmt/format.h>

#include "base/error.h"
#include "lab/scenario_rules.h"
#include "lab/toml_reader.h"

namespace ringside::lab {

namespace {

constexpr std::uint64_t most_per_ms = 1'000'000'000;

vpmu::PmuModel read_model(TomlReader& reader, const toml::table& host) {
    const auto counters = [&](unsigned usual, unsigned most) {
        return unsigned(reader.number(host, "counters", usual, 1, most));
    };
    const auto kind = reader.choice(host, "architecture", {"amd", "intel", "arm64"});
    const auto fixed = unsigned(reader.number(host, "fixed", 0, 0, 4));
    if (fixed != 0 && kind != 1) {
        reader.fail(*host.get("fixed"), "only Intel has a choice of fixed counters");
    }
    if (kind == 0) return vpmu::amd_perfmon_v2(counters(6, 16));
    if (kind == 1) return vpmu::intel_perfmon(counters(8, 8), fixed);
    return vpmu::arm_pmuv3(counters(6, 31));
}

HostProfile read_host_profile(TomlReader& reader, const toml::table& table) {
    reader.allow_only(table, {"event", "pinned", "counts_guests"});
    HostProfile profile;
    if (const toml::node* event = table.get("event")) profile.event = reader.event(*event);
    profile.pinned = reader.flag(table, "pinned");
    profile.counts_guests = reader.flag(table, "counts_guests");
    return profile;
}

EventNumbers read_rates(TomlReader& reader, const toml::table& table) {
    const toml::node* node = table.get("rates");
    if (node == nullptr) return {};
    if (const toml::table* rates = node->as_table()) return reader.numbers(*rates, most_per_ms);
    reader.fail(*node, "rates must be a table: { cycles = 1000 }");
    return {};
}

Phase read_phase(TomlReader& reader, const toml::table& table) {
    reader.allow_only(table, {"name", "ns", "rates", "exits", "kernel"});
    Phase phase;
    phase.name = reader.text(table, "name", "");
    phase.ns = reader.number(table, "ns", 1'000'000, 1, 1'000'000'000);
    phase.per_ms = read_rates(reader, table);
    phase.exits = unsigned(reader.number(table, "exits", 0, 0, 1000));
    phase.kernel = reader.flag(table, "kernel");
    if (phase.exits >= phase.ns) reader.fail(table, "more exits than nanoseconds");
    return phase;
}

Phase endless(const EventNumbers& per_ms) {
    Phase phase;
    phase.per_ms = per_ms;
    return phase;
}

ThreadPlan read_thread(TomlReader& reader, const toml::table& table) {
    reader.allow_only(table, {"name", "rates", "phase"});
    ThreadPlan thread;
    thread.name = reader.text(table, "name", "thread");
    reader.each_table(table, "phase", [&](const toml::table& phase) {
        thread.phases.push_back(read_phase(reader, phase));
    });
    if (!thread.phases.empty() && table.contains("rates")) {
        reader.fail(*table.get("rates"), "a thread has rates or phases, not both");
    }
    if (thread.phases.empty()) thread.phases.push_back(endless(read_rates(reader, table)));
    return thread;
}

// counts = ["a", "b"] are two groups of one, counts = [["a", "b"]] is one of two.
std::vector<std::vector<EventName>> read_groups(TomlReader& reader, const toml::table& table) {
    std::vector<std::vector<EventName>> groups;
    reader.each_element(table, "counts", [&](const toml::node& element) {
        groups.emplace_back();
        const toml::array* several = element.as_array();
        if (several == nullptr) return groups.back().push_back(reader.event(element));
        if (several->empty()) reader.fail(element, "an empty group");
        for (const toml::node& one : *several) groups.back().push_back(reader.event(one));
    });
    return groups;
}

ProfilePlan read_profile(TomlReader& reader, const toml::table& table) {
    ProfilePlan profile;
    profile.tool = static_cast<GuestTool>(
        reader.choice(table, "tool", {"system_wide", "stat", "record", "library"}));
    profile.groups = read_groups(reader, table);
    profile.period = reader.number(table, "period", 0, 0, 1u << 30);
    profile.interval_ms = reader.number(table, "interval_ms", 0, 0, 1'000'000);
    profile.user_only = reader.flag(table, "user_only");
    profile.skips_hypercalls = reader.flag(table, "skips_hypercalls", true);
    if (profile.period != 0 && profile.groups.empty()) {
        reader.fail(*table.get("period"), "period needs an event in counts");
    }
    return profile;
}

MachinePlan read_machine(TomlReader& reader, const toml::table& table, const vpmu::PmuModel& host) {
    reader.allow_only(table, {"name", "count", "policy", "counters", "vcpus", "exits_per_ms",
                              "fast_percent", "rates", "thread", "tool", "counts", "period",
                              "interval_ms", "user_only", "skips_hypercalls", "consents"});
    MachinePlan plan;
    plan.name = reader.text(table, "name", "vm");
    plan.count = unsigned(reader.number(table, "count", 1, 1, 1'000'000));
    plan.policy = reader.policy(table);
    plan.model = host;
    plan.model.general =
        vpmu::low_bits(unsigned(reader.number(table, "counters", host.general_count(), 1, 31)));
    plan.vcpus = unsigned(reader.number(table, "vcpus", 1, 1, 4096));
    plan.exits_per_ms = unsigned(reader.number(table, "exits_per_ms", 1, 0, 1000));
    plan.fast_percent = unsigned(reader.number(table, "fast_percent", 0, 0, 100));
    plan.consents = reader.flag(table, "consents");
    plan.profile = read_profile(reader, table);
    reader.each_table(table, "thread", [&](const toml::table& thread) {
        plan.threads.push_back(read_thread(reader, thread));
    });
    if (!plan.threads.empty() && table.contains("rates")) {
        reader.fail(*table.get("rates"), "a machine has rates or threads, not both");
    }
    if (plan.threads.empty()) {
        plan.threads.push_back({"", {endless(read_rates(reader, table))}});
    }
    return plan;
}

void read_host(TomlReader& reader, const toml::table& root, Scenario& scenario) {
    const toml::table none;
    const toml::table* host = root["host"].as_table();
    if (host == nullptr) host = &none;
    reader.allow_only(
        *host, {"architecture", "counters", "fixed", "hosts", "cpus", "migrate_every_ms", "event"});
    scenario.model = read_model(reader, *host);
    scenario.hosts = unsigned(reader.number(*host, "hosts", 1, 1, 100'000));
    scenario.cpus = unsigned(reader.number(*host, "cpus", 1, 1, 4096));
    const auto migrate_ns = 1'000'000 * reader.number(*host, "migrate_every_ms", 0, 0, 1'000'000);
    scenario.migrate_every_slices =
        unsigned(migrate_ns / scenario.slice_ns + (migrate_ns % scenario.slice_ns != 0 ? 1 : 0));
    reader.each_table(*host, "event", [&](const toml::table& table) {
        scenario.host.push_back(read_host_profile(reader, table));
        const auto missing = why_not(scenario.model.architecture, scenario.host.back().event);
        if (missing) reader.fail(table, "the host counts " + *missing);
    });
}

}  // namespace

std::vector<EventName> ProfilePlan::events() const {
    std::vector<EventName> all;
    for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
    return all;
}

Result<Scenario> parse_scenario(std::string_view text, const std::string& file) {
    TomlReader reader(file);
    const toml::table root = reader.parse(text);
    if (reader.error()) return *reader.error();
    Scenario scenario;
    reader.allow_only(root, {"title", "duration_ms", "slice_us", "host", "vm"});
    scenario.title = reader.text(root, "title", file);
    scenario.duration_ns = 1'000'000 * reader.number(root, "duration_ms", 100, 1, 1'000'000);
    scenario.slice_ns = 1000 * reader.number(root, "slice_us", 1000, 1, 1'000'000);
    read_host(reader, root, scenario);
    reader.each_table(root, "vm", [&](const toml::table& table) {
        scenario.machines.push_back(read_machine(reader, table, scenario.model));
        const auto objection = why_not(scenario, scenario.machines.back());
        if (objection) reader.fail(table, *objection);
    });
    if (scenario.machines.empty()) reader.fail(root, "a scenario needs at least one [[vm]]");
    if (reader.error()) return *reader.error();
    return scenario;
}

Result<void> choose_policy(Scenario& scenario, std::string_view policy) {
    const auto chosen = policy_named(policy);
    if (!chosen) {
        std::string known;
        for (const auto& traits : vpmu::policies) known += fmt::format(" {}", traits.name);
        return base::fail(ErrorCode::bad_input, fmt::format("unknown policy: {}", policy),
                          "one of" + known);
    }
    for (MachinePlan& machine : scenario.machines) {
        machine.policy = *chosen;
        if (const auto objection = why_not(scenario, machine)) {
            return base::fail(ErrorCode::bad_input, *objection);
        }
    }
    return {};
}

}  // namespace ringside::lab
