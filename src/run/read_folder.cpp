#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/read_file.h"
#include "base/text.h"
#include "model/unit.h"
#include "run/folder.h"
#include "run/json.h"
#include "run/stacks.h"

namespace ringside::run {

namespace {

namespace fs = std::filesystem;
using base::fail;
using ParsedJson = nlohmann::ordered_json;  // the parts of the time have an order

Result<ParsedJson> read_json(const fs::path& file, std::string_view schema) {
    const auto text = base::read_file(file);
    if (!text) return text.error();
    auto json = parse_json_object(*text, file.string());
    if (json && json->value("schema", ParsedJson()) != schema) {
        return fail(ErrorCode::bad_input,
                    fmt::format("{}: not of the schema {}", file.string(), schema));
    }
    return json;
}

double number(const ParsedJson& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

std::string text(const ParsedJson& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

bool flag(const ParsedJson& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_boolean() && found->get<bool>();
}

template <typename T>
std::optional<T> maybe(const ParsedJson& json, const char* key) {
    const auto found = json.find(key);
    const bool fits = found != json.end() &&
                      (std::is_integral_v<T> ? found->is_number_integer() : found->is_number());
    return fits ? std::optional(found->get<T>()) : std::nullopt;
}

std::vector<std::string> texts(const ParsedJson& json, const char* key) {
    std::vector<std::string> all;
    for (const auto& each : json.value(key, ParsedJson::array())) {
        if (each.is_string()) all.push_back(each.get<std::string>());
    }
    return all;
}

CounterState state_of(const std::string& name) {
    for (const auto state :
         {CounterState::ok, CounterState::dead, CounterState::starved, CounterState::not_permitted,
          CounterState::not_scheduled, CounterState::implausible}) {
        if (to_string(state) == name) return state;
    }
    return CounterState::absent;
}

Measurement count_of(const ParsedJson& event) {
    Measurement count;
    count.name = text(event, "name");
    count.unit = text(event, "unit");
    count.state = state_of(text(event, "state"));
    count.reason = text(event, "reason");
    count.value = number(event, "value");
    count.running_ratio = maybe<double>(event, "running_ratio").value_or(1);
    count.scale_error = number(event, "scale_error");
    count.filter = text(event, "filter");
    count.place = text(event, "place");
    count.metric = flag(event, "metric");
    count.soft = flag(event, "soft");
    return count;
}

// Of a whole run or of an interval. Times that are not known are left out: they are in the
// unexplained rest.
std::vector<Measurement> counts_of(const ParsedJson& stat) {
    std::vector<Measurement> counts;
    const ParsedJson times = stat.value("time", ParsedJson::object());
    for (const auto& [name, value] : times.items()) {
        if (!value.is_number() || !name.ends_with("_ns")) continue;
        Measurement count;
        count.name = "time." + name.substr(0, name.size() - 3);
        count.unit = "ns";
        count.value = value.get<double>();
        counts.push_back(std::move(count));
    }
    for (const char* list : {"events", "left_out"}) {
        for (const auto& event : stat.value(list, ParsedJson::array())) {
            counts.push_back(count_of(event));
            counts.back().left_out = list == std::string_view("left_out");
        }
    }
    return counts;
}

// What is a ratio already has no rate.
void drop_metrics(ParsedJson& events) {
    if (!events.is_array()) return;
    ParsedJson counts = ParsedJson::array();
    for (auto& event : events) {
        if (!event.value("metric", false)) counts.push_back(std::move(event));
    }
    events = std::move(counts);
}

// A folder of an older version has none; a line that was cut ends them.
std::vector<Interval> read_intervals(const fs::path& file) {
    std::vector<Interval> intervals;
    const auto text = base::read_file(file);
    if (!text) return intervals;
    for (const auto line : base::split_lines(*text)) {
        auto json = parse_json_object(line, file.string());
        if (!json || json->value("schema", ParsedJson()) != "ringside.stat.interval/1") break;
        drop_metrics((*json)["events"]);
        intervals.push_back({number(*json, "at_s"), counts_of(*json)});
    }
    return intervals;
}

// Earlier versions did not write it: then there is no such member. null is a plain count.
std::string unit_of(const ParsedJson& event, const std::string& name) {
    if (event.contains("unit")) return text(event, "unit");
    return model::counts_ns(name) ? "ns" : "";
}

void add_hits(const ParsedJson& report, bool soft, Run& run) {
    for (const auto& event : report.value("events", ParsedJson::array())) {
        const std::string name = text(event, "name");
        Sampled& sampled = run.sampled.emplace_back();
        sampled.event = name;
        sampled.unit = unit_of(event, name);
        sampled.samples = number(event, "samples");
        sampled.lost = number(event, "lost");
        sampled.soft = soft;
        for (const auto& row : event.value("rows", ParsedJson::array())) {
            Hit hit;
            hit.event = name;
            hit.module = text(row, "dso");
            hit.symbol = text(row, "symbol");
            hit.mode = text(row, "mode");
            hit.in_kernel = hit.mode.ends_with("kernel");
            hit.resolved = row.value("resolved", true);
            hit.value = number(row, "period");
            hit.samples = number(row, "samples");
            sampled.value += hit.value;
            run.hits.push_back(std::move(hit));
        }
    }
}

std::uint64_t whole(const ParsedJson& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::optional<Stolen> stolen_of(const ParsedJson& json) {
    if (!json.is_object()) return std::nullopt;
    Stolen stolen{whole(json, "stolen_ns"), whole(json, "time_ns"), whole(json, "cpus"), {}};
    for (const auto& each : json.value("readings", ParsedJson::array())) {
        stolen.readings.push_back(
            {whole(each, "time_ns"), whole(each, "cpu"), whole(each, "stolen_ns")});
    }
    return stolen;
}

std::string digest(const fs::path& file) {
    const auto content = base::read_file(file);
    return content ? fmt::format("{}:{}", content->size(), base::short_hash(*content)) : "";
}

// A folder of an older version has none.
Result<std::vector<model::StackTree>> read_stacks(const fs::path& file) {
    const auto text = base::read_file(file);
    if (!text) return std::vector<model::StackTree>();
    auto stacks = parse_stacks(*text);
    if (stacks) return stacks;
    Error error = stacks.error();
    error.what = file.string() + ": " + error.what;
    return error;
}

Result<Run> read_run(const fs::path& folder) {
    auto stat = read_json(folder / "stat.json", "ringside.stat/1");
    if (!stat) return stat.error();
    auto report = read_json(folder / "report.json", "ringside.report/1");
    if (!report) return report.error();
    Run run;
    run.counts = counts_of(*stat);
    run.intervals = read_intervals(folder / "intervals.jsonl");
    run.exit_code = maybe<int>(*stat, "exit_code");
    std::error_code error;
    if (fs::exists(folder / "soft-report.json", error)) {
        auto soft = read_json(folder / "soft-report.json", "ringside.report/1");
        if (!soft) return soft.error();
        add_hits(*soft, true, run);
    }
    auto stacks = read_stacks(folder / "stacks.json");
    if (!stacks) return stacks.error();
    run.stacks = std::move(*stacks);
    add_hits(*report, false, run);
    run.warnings = texts(*report, "warnings");
    run.stolen = stolen_of(report->value("steal", ParsedJson()));
    run.output_digest = digest(folder / "stdout");
    return run;
}

Environment environment_of(const ParsedJson& json) {
    Environment environment;
    environment.kernel = text(json, "kernel");
    environment.cpu = text(json, "cpu");
    environment.hypervisor = text(json, "hypervisor");
    environment.vmm = text(json, "vmm");
    environment.clock_source = text(json, "clock_source");
    environment.cpus = maybe<int>(json, "cpus");
    environment.memory_bytes = maybe<double>(json, "memory_bytes");
    environment.cpu_hz = maybe<double>(json, "cpu_hz");
    return environment;
}

void add_count(Run& run, std::string_view event, const char* unit, double value) {
    Measurement count;
    count.name = event;
    count.unit = unit;
    count.value = value;
    run.counts.push_back(std::move(count));
}

// Of all machines that ran then; a box's host has one.
Exits exits_of(const ParsedJson& report) {
    Exits exits;
    for (const auto& machine : report.value("machines", ParsedJson::array())) {
        exits.count += number(machine, "exits") - number(machine, "halts");
        exits.time_ns += number(machine, "exit_ns");
        for (const auto& reason : machine.value("reasons", ParsedJson::array())) {
            if (reason.value("halt", false)) continue;
            exits.reasons.push_back(
                {text(reason, "name"), number(reason, "count"), number(reason, "total_ns")});
        }
    }
    std::stable_sort(exits.reasons.begin(), exits.reasons.end(),
                     [](const auto& a, const auto& b) { return a.time_ns > b.time_ns; });
    return exits;
}

Result<void> add_exits(const fs::path& file, Side& side) {
    std::error_code error;
    if (!fs::exists(file, error) || side.runs.empty()) return {};
    const auto report = read_json(file, "ringside.kvm-stat/1");
    if (!report) return report.error();
    const std::string why = text(*report, "reason");
    if (!why.empty()) {
        side.notes.push_back("the guest's exits were not counted: " + why);
        return {};
    }
    side.exits = exits_of(*report);
    add_count(side.runs.front(), exits_event, "", side.exits->count);
    add_count(side.runs.front(), exit_time_event, "ns", side.exits->time_ns);
    if (const double lost = number(*report, "lost"); lost > 0)
        side.notes.push_back(fmt::format("{:.0f} records of the guest's exits were lost", lost));
    return {};
}

// A folder that was measured where it is has none, and one of an earlier version.
Result<PlaceFacts> read_place(const fs::path& file) {
    PlaceFacts facts;
    std::error_code error;
    if (!fs::exists(file, error)) return facts;
    const auto json = read_json(file, "ringside.place/1");
    if (!json) return json.error();
    facts.kind = parse_side_kind(text(*json, "kind"));
    facts.co_run = text(*json, "co_run");
    facts.notes = texts(*json, "notes");
    facts.runs = maybe<int>(*json, "runs");
    return facts;
}

// Throws what the JSON library does where a member is of another type than ours.
Result<Side> read_side(const fs::path& path) {
    auto json = read_json(path / side_file, "ringside.run/1");
    if (!json) return json.error();
    Side side;
    side.name = text(*json, "name");
    side.kind = parse_side_kind(text(*json, "kind")).value_or(SideKind::file);
    side.environment = environment_of(json->value("environment", ParsedJson::object()));
    const ParsedJson build_ids = json->value("build_ids", ParsedJson::object());
    for (const auto& [module, id] : build_ids.items()) {
        if (id.is_string()) side.build_ids[module] = id.get<std::string>();
    }
    side.notes = texts(*json, "notes");
    side.command = texts(*json, "command");
    side.co_run = text(*json, "co_run");
    const auto facts = read_place(path / place_file);
    if (!facts) return facts.error();
    side.kind = facts->kind.value_or(side.kind);
    if (!facts->co_run.empty()) side.co_run = facts->co_run;
    side.notes.insert(side.notes.end(), facts->notes.begin(), facts->notes.end());
    const int finished = facts->runs.value_or(maybe<int>(*json, "runs").value_or(0));
    for (int i = 1; i <= finished; ++i) {
        auto run = read_run(path / std::to_string(i));
        if (!run) return run.error();
        side.runs.push_back(std::move(*run));
    }
    if (auto added = add_exits(path / exits_file, side); !added) return added.error();
    return side;
}

}  // namespace

bool is_folder(const std::string& folder) {
    std::error_code error;
    return fs::exists(fs::path(folder) / side_file, error);
}

Result<Side> read_folder(const std::string& folder) {
    if (!is_folder(folder)) {
        return fail(ErrorCode::bad_input, folder + " holds no finished run of `ringside measure`");
    }
    try {
        return read_side(folder);
    } catch (const ParsedJson::exception& problem) {
        // Of the right schema, and a string where a number belongs.
        return fail(ErrorCode::bad_input, fmt::format("{}: damaged: {}", folder, problem.what()));
    }
}

}  // namespace ringside::run
