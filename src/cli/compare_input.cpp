#include "cli/compare_input.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "cli/flat_profile.h"
#include "cli/stacks_file.h"
#include "cli/timeline_file.h"
#include "compare/csv_table.h"
#include "compare/perf_text.h"
#include "guest/files.h"

namespace ringside::cli {

namespace {

namespace fs = std::filesystem;
using base::fail;
using compare::Run;
using compare::Side;
using Json = nlohmann::ordered_json;  // the parts of the time have an order

Error in_file(const fs::path& file, Error error) {
    error.what = file.string() + ": " + error.what;
    return error;
}

Result<Json> read_json(const fs::path& file, std::string_view schema) {
    const auto text = guest::read_file(file);
    if (!text) return text.error();
    Json json = Json::parse(*text, nullptr, false);
    if (!json.is_object() || json.value("schema", "") != schema) {
        return fail(ErrorCode::bad_input,
                    fmt::format("{}: not of the schema {}", file.string(), schema));
    }
    return json;
}

double number(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

std::string text(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

template <typename T>
std::optional<T> maybe(const Json& json, const char* key) {
    const auto found = json.find(key);
    const bool fits = found != json.end() &&
                      (std::is_integral_v<T> ? found->is_number_integer() : found->is_number());
    return fits ? std::optional(found->get<T>()) : std::nullopt;
}

CounterState state_of(const std::string& name) {
    for (const auto state :
         {CounterState::ok, CounterState::dead, CounterState::starved, CounterState::not_permitted,
          CounterState::not_scheduled, CounterState::implausible}) {
        if (to_string(state) == name) return state;
    }
    return CounterState::absent;
}

compare::Count count_of(const Json& event) {
    compare::Count count;
    count.event = text(event, "name");
    count.unit = text(event, "unit");
    count.state = state_of(text(event, "state"));
    count.reason = text(event, "reason");
    count.value = number(event, "value");
    count.running_ratio = maybe<double>(event, "running_ratio").value_or(1);
    return count;
}

// Times that are not known are left out: they are in the unexplained rest.
void add_counts(const Json& stat, Run& run) {
    const Json times = stat.value("time", Json::object());
    for (const auto& [name, value] : times.items()) {
        if (!value.is_number() || !name.ends_with("_ns")) continue;
        compare::Count count;
        count.event = "time." + name.substr(0, name.size() - 3);
        count.unit = "ns";
        count.value = value.get<double>();
        run.counts.push_back(std::move(count));
    }
    for (const char* list : {"events", "left_out"}) {
        for (const auto& event : stat.value(list, Json::array())) {
            run.counts.push_back(count_of(event));
        }
    }
    run.exit_code = maybe<int>(stat, "exit_code");
}

bool is_clock(const std::string& event) {
    return event.starts_with("cpu-clock") || event.starts_with("task-clock");
}

void add_hits(const Json& report, Run& run) {
    for (const auto& event : report.value("events", Json::array())) {
        const std::string name = text(event, "name");
        run.sampled.push_back(
            {name, is_clock(name) ? "ns" : "", number(event, "samples"), number(event, "lost")});
        for (const auto& row : event.value("rows", Json::array())) {
            compare::Hit hit;
            hit.event = name;
            hit.module = text(row, "dso");
            hit.symbol = text(row, "symbol");
            hit.in_kernel = text(row, "mode").ends_with("kernel");
            hit.resolved = row.value("resolved", true);
            hit.value = number(row, "period");
            hit.samples = number(row, "samples");
            run.hits.push_back(std::move(hit));
        }
    }
}

std::string digest(const fs::path& file) {
    const auto content = guest::read_file(file);
    return content ? fmt::format("{}:{}", content->size(), guest::short_hash(*content)) : "";
}

// What runs of an older version lack is not missed.
template <typename T>
Result<void> read_kept(const fs::path& file, Result<T> (*parse)(std::string_view), T& kept) {
    const auto text = guest::read_file(file);
    if (!text) return {};
    auto parsed = parse(*text);
    if (!parsed) return in_file(file, parsed.error());
    kept = std::move(*parsed);
    return {};
}

Result<Run> read_run(const fs::path& folder) {
    auto stat = read_json(folder / "stat.json", "ringside.stat/1");
    if (!stat) return stat.error();
    auto report = read_json(folder / "report.json", "ringside.report/1");
    if (!report) return report.error();
    Run run;
    add_counts(*stat, run);
    add_hits(*report, run);
    if (auto kept = read_kept(folder / "stacks.json", parse_stacks, run.stacks); !kept)
        return kept.error();
    if (auto kept = read_kept(folder / "timeline.json", parse_timeline, run.timeline); !kept)
        return kept.error();
    run.output_digest = digest(folder / "stdout");
    return run;
}

compare::Environment environment_of(const Json& json) {
    compare::Environment environment;
    environment.kernel = text(json, "kernel");
    environment.cpu = text(json, "cpu");
    environment.hypervisor = text(json, "hypervisor");
    environment.clock_source = text(json, "clock_source");
    environment.cpus = maybe<int>(json, "cpus");
    environment.memory_bytes = maybe<double>(json, "memory_bytes");
    environment.cpu_hz = maybe<double>(json, "cpu_hz");
    return environment;
}

// Throws what the JSON library does where a member is of another type than ours.
Result<Side> read_side(const fs::path& path) {
    auto json = read_json(path / "side.json", "ringside.run/1");
    if (!json) return json.error();
    Side side;
    side.name = text(*json, "name");
    side.kind = compare::parse_side_kind(text(*json, "kind")).value_or(compare::SideKind::file);
    side.environment = environment_of(json->value("environment", Json::object()));
    const Json build_ids = json->value("build_ids", Json::object());
    for (const auto& [module, id] : build_ids.items()) {
        if (id.is_string()) side.build_ids[module] = id.get<std::string>();
    }
    for (const auto& note : json->value("notes", Json::array())) {
        if (note.is_string()) side.notes.push_back(note.get<std::string>());
    }
    const int finished = maybe<int>(*json, "runs").value_or(0);
    for (int i = 1; i <= finished; ++i) {
        auto run = read_run(path / std::to_string(i));
        if (!run) return run.error();
        side.runs.push_back(std::move(*run));
    }
    return side;
}

Result<Side> read_recording(const fs::path& file, bool with_stacks) {
    const auto flat = load_flat_profile(file.string(), with_stacks);
    if (!flat) return in_file(file, flat.error());
    Side side;
    Run& run = side.runs.emplace_back();
    for (const auto& event : flat->rows) {
        const auto& totals = flat->profile.events[event.event];
        run.sampled.push_back({totals.name, totals.in_ns ? "ns" : "",
                               static_cast<double>(totals.samples),
                               static_cast<double>(totals.lost)});
        for (const auto& row : event.rows) {
            const auto& function = flat->naming.functions[row.function];
            run.hits.push_back({totals.name, function.module, function.name,
                                function.mode == perf::CpuMode::kernel ||
                                    function.mode == perf::CpuMode::guest_kernel,
                                function.resolved, static_cast<double>(row.period),
                                static_cast<double>(row.samples)});
        }
    }
    run.stacks = flat->stacks;
    const perf::Origin& origin = flat->profile.origin;
    side.environment.kernel = origin.os_release;
    side.environment.cpu = origin.cpu_description;
    if (origin.cpus_online > 0) side.environment.cpus = static_cast<int>(origin.cpus_online);
    if (origin.memory_kb > 0) {
        side.environment.memory_bytes = static_cast<double>(origin.memory_kb) * 1024;
    }
    for (const auto& module : flat->profile.world->modules()) {
        if (!module.build_id.empty()) side.build_ids[module.short_name()] = module.build_id;
    }
    side.notes = flat->profile.warnings;
    return side;
}

Result<Side> read_text(const fs::path& file, const std::string& content) {
    Side side;
    if (compare::looks_like_perf_report(content)) {
        auto report = compare::parse_perf_report(content);
        if (!report) return in_file(file, report.error());
        side.runs.push_back(std::move(report->run));
        side.environment = std::move(report->environment);
        return side;
    }
    auto runs = compare::parse_csv_table(content);
    if (!runs) return in_file(file, runs.error());
    side.runs = std::move(*runs);
    return side;
}

Result<Side> read_path(const fs::path& path, bool with_stacks) {
    std::error_code error;
    if (fs::is_directory(path, error)) return read_run_folder(path.string());
    const auto content = guest::read_file(path);
    if (!content) return content.error();
    if (content->starts_with("PERFILE2") || content->starts_with("2ELIFREP")) {
        return read_recording(path, with_stacks);
    }
    return read_text(path, *content);
}

// The folders of sides below a folder that holds nothing else of ours.
std::vector<fs::path> side_folders(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    if (!fs::is_directory(folder, error) || fs::exists(folder / "side.json", error)) return found;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (fs::exists(entry.path() / "side.json", error)) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

// Another repeat of the same side.
void append(Side& side, Side more) {
    std::move(more.runs.begin(), more.runs.end(), std::back_inserter(side.runs));
    std::move(more.notes.begin(), more.notes.end(), std::back_inserter(side.notes));
}

Result<Side> read_repeats(const std::vector<std::string>& paths, bool with_stacks) {
    auto side = read_path(paths.front(), with_stacks);
    if (!side) return side;
    for (std::size_t i = 1; i < paths.size(); ++i) {
        auto more = read_path(paths[i], with_stacks);
        if (!more) return more;
        append(*side, std::move(*more));
    }
    return side;
}

std::string plain_name(const std::string& path) {
    fs::path plain(path);
    if (!plain.has_filename()) plain = plain.parent_path();
    return plain.stem().string();
}

}  // namespace

Result<Side> read_run_folder(const std::string& folder) {
    std::error_code error;
    if (!fs::exists(fs::path(folder) / "side.json", error)) {
        return fail(ErrorCode::bad_input, folder + " holds no finished run of `ringside measure`");
    }
    try {
        return read_side(folder);
    } catch (const Json::exception& problem) {
        // Of the right schema, and a string where a number belongs.
        return fail(ErrorCode::bad_input, fmt::format("{}: damaged: {}", folder, problem.what()));
    }
}

Result<std::vector<Side>> read_sides(const std::string& text, bool with_stacks) {
    std::error_code error;
    std::string name;
    std::string rest = text;
    const auto equals = text.find('=');
    if (!fs::exists(text, error) && equals != std::string::npos) {
        name = text.substr(0, equals);
        rest = text.substr(equals + 1);
    }
    std::vector<Side> sides;
    for (const auto& folder : side_folders(rest)) {
        auto side = read_run_folder(folder.string());
        if (!side) return side.error();
        sides.push_back(std::move(*side));
    }
    if (!sides.empty()) return sides;
    std::vector<std::string> paths{rest};
    if (!fs::exists(rest, error)) {
        paths.clear();
        for (const auto path : base::split(rest, ',')) paths.emplace_back(path);
    }
    auto side = read_repeats(paths, with_stacks);
    if (!side) return side.error();
    if (!name.empty()) side->name = name;
    if (side->name.empty()) side->name = plain_name(paths.front());
    sides.push_back(std::move(*side));
    return sides;
}

}  // namespace ringside::cli
