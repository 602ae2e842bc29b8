#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/file_io.h"
#include "run/folder.h"
#include "run/stacks.h"
#include "run/time_json.h"

namespace ringside::run {

namespace {

namespace fs = std::filesystem;
using base::Json;

template <typename T>
Json known(const std::optional<T>& value) {
    return value ? number_json(static_cast<double>(*value)) : Json(nullptr);
}

Json side_json(const Side& side, int runs) {
    Json json = {{"schema", "ringside.run/1"},
                 {"name", side.name},
                 {"kind", to_string(side.kind)},
                 {"command", side.command},
                 {"co_run", side.co_run}};
    const Environment& machine = side.environment;
    json["environment"] = {{"kernel", Json::text_or_null(machine.kernel)},
                           {"cpu", Json::text_or_null(machine.cpu)},
                           {"cpus", known(machine.cpus)},
                           {"memory_bytes", known(machine.memory_bytes)},
                           {"hypervisor", machine.hypervisor},
                           {"vmm", machine.vmm},
                           {"clock_source", Json::text_or_null(machine.clock_source)},
                           {"cpu_hz", known(machine.cpu_hz)}};
    json["build_ids"] = Json::object();
    for (const auto& [module, id] : side.build_ids) json["build_ids"][module] = id;
    json["notes"] = side.notes;
    json["runs"] = runs;
    return json;
}

Json values_json(const std::vector<Measurement>& values, bool left_out) {
    Json json = Json::array();
    for (const auto& value : values) {
        if (value.left_out == left_out) json.push_back(measurement_json(value));
    }
    return json;
}

Json stat_json(const Side& side, const Run& run) {
    Json json = {{"schema", "ringside.stat/1"},
                 {"subject", side.command.empty() ? "" : side.command.front()},
                 {"command", side.command},
                 {"runs", 1},
                 {"events", values_json(run.counts, false)},
                 {"left_out", values_json(run.counts, true)}};
    json["time"] = run.time ? values_json(budget_values(*run.time)) : Json::object();
    json["budget"] = run.time ? budget_sources(*run.time) : Json::object();
    json["notes"] = Json::array();
    json["exit_code"] = run.exit_code ? Json(*run.exit_code) : Json(nullptr);
    return json;
}

Json interval_json(const Interval& interval) {
    return {{"schema", "ringside.stat.interval/1"},
            {"at_s", interval.at_s},
            {"events", values_json(interval.counts, false)},
            {"time", interval.time ? values_json(budget_values(*interval.time)) : Json::object()}};
}

Json stolen_json(const Stolen& stolen) {
    Json json = {{"stolen_ns", stolen.stolen_ns},
                 {"time_ns", stolen.time_ns},
                 {"cpus", stolen.cpus},
                 {"readings", Json::array()}};
    for (const auto& reading : stolen.readings) {
        json["readings"].push_back(
            {{"time_ns", reading.time_ns}, {"cpu", reading.cpu}, {"stolen_ns", reading.stolen_ns}});
    }
    return json;
}

Json hit_json(const Hit& hit, double whole) {
    return {{"symbol", hit.symbol},
            {"dso", hit.module},
            {"comm", nullptr},
            {"mode", hit.mode},
            {"resolved", hit.resolved},
            {"samples", number_json(hit.samples)},
            {"period", number_json(hit.value)},
            {"self_pct", whole > 0 ? 100 * hit.value / whole : 0.0}};
}

// What was sampled in software is a report of its own: it comes from an execution of its own.
Json report_json(const Run& run, bool soft) {
    Json json = {{"schema", "ringside.report/1"},
                 {"warnings", soft ? Json::array() : Json(run.warnings)}};
    const bool known = run.stolen && !soft;
    json["steal"] = known ? stolen_json(*run.stolen) : Json(nullptr);
    json["steal_reason"] =
        known ? Json(nullptr) : Json("the recorder did not note it; `ringside record` does");
    json["events"] = Json::array();
    for (const auto& sampled : run.sampled) {
        if (sampled.soft != soft) continue;
        Json event = {{"name", sampled.event},
                      {"samples", number_json(sampled.samples)},
                      {"lost", number_json(sampled.lost)},
                      {"rows", Json::array()},
                      {"unit", Json::text_or_null(sampled.unit)}};
        for (const auto& hit : run.hits) {
            if (hit.event == sampled.event) event["rows"].push_back(hit_json(hit, sampled.value));
        }
        json["events"].push_back(std::move(event));
    }
    return json;
}

}  // namespace

// A count is a whole number, however large.
Json number_json(double value) {
    constexpr double exact = 9007199254740992.0;  // 2^53
    if (value == std::floor(value) && std::abs(value) < exact) {
        return static_cast<std::int64_t>(value);
    }
    return value;
}

Json measurement_json(const Measurement& value) {
    return {{"name", value.name},
            {"value", value.ok() ? number_json(value.value) : Json(nullptr)},
            {"state", to_string(value.state)},
            {"reason", Json::text_or_null(value.reason)},
            {"running_ratio", value.running_ratio},
            {"soft", value.soft},
            {"unit", Json::text_or_null(value.unit)},
            {"filter", Json::text_or_null(value.filter)},
            {"place", Json::text_or_null(value.place)},
            {"metric", value.metric},
            {"scale_error", number_json(value.scale_error)}};
}

Result<void> write_place(const std::string& folder, const PlaceFacts& facts) {
    Json json = {{"schema", "ringside.place/1"}};
    if (facts.kind) json["kind"] = to_string(*facts.kind);
    if (!facts.co_run.empty()) json["co_run"] = facts.co_run;
    json["notes"] = facts.notes;
    if (facts.runs) json["runs"] = *facts.runs;
    return base::replace_file((fs::path(folder) / place_file).string(), json.text());
}

Result<FolderWriter> FolderWriter::create(const std::string& folder, Side side) {
    std::error_code error;
    if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
        return base::fail(ErrorCode::bad_input, folder + " is there already, and not empty",
                          "name another folder, or remove it");
    }
    fs::create_directories(folder, error);
    if (error) return base::fail(ErrorCode::io, "cannot create " + folder + ": " + error.message());
    return FolderWriter(folder, std::move(side));
}

fs::path FolderWriter::run_folder(int number) const {
    return path_ / std::to_string(number);
}

Result<void> FolderWriter::add(const Run& run) {
    const fs::path folder = run_folder(runs_ + 1);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return base::fail(ErrorCode::io, "cannot create " + folder.string());
    std::vector<std::pair<const char*, std::string>> files;
    files.emplace_back("stat.json", stat_json(side_, run).text());
    files.emplace_back("report.json", report_json(run, false).text());
    files.emplace_back("stacks.json", stacks_json(run.stacks));
    std::string& lines = files.emplace_back("intervals.jsonl", "").second;
    for (const auto& interval : run.intervals) lines += interval_json(interval).text(-1);
    for (const auto& sampled : run.sampled) {
        if (!sampled.soft) continue;
        files.emplace_back("soft-report.json", report_json(run, true).text());
        break;
    }
    for (const auto& [name, text] : files) {
        if (auto done = base::replace_file((folder / name).string(), text); !done) return done;
    }
    for (const auto& [module, id] : run.build_ids) side_.build_ids[module] = id;
    for (const auto& note : run.notes) {
        const auto& said = side_.notes;
        if (std::find(said.begin(), said.end(), note) == said.end()) side_.notes.push_back(note);
    }
    if (auto done =
            base::replace_file((path_ / side_file).string(), side_json(side_, runs_ + 1).text());
        !done) {
        return done;
    }
    ++runs_;
    return {};
}

}  // namespace ringside::run
