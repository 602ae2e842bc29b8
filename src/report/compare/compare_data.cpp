#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/csv.h"
#include "base/json.h"
#include "report/compare/compare_view.h"

namespace ringside::report {

namespace {

using base::csv_field;
using base::Json;
using compare::Cell;
using compare::Row;

Json ratio_json(const compare::Ratio& ratio) {
    return {{"ratio", ratio.ratio},
            {"ci_low", ratio.ci_low},
            {"ci_high", ratio.ci_high},
            {"significant", ratio.significant},
            {"p", ratio.p},
            {"p_adjusted", ratio.p_adjusted}};
}

Json exits_json(const run::Side& side) {
    if (!side.exits) return nullptr;
    Json json = {{"count", side.exits->count}, {"time_ns", side.exits->time_ns}};
    json["reasons"] = Json::array();
    for (const auto& reason : side.exits->reasons) {
        json["reasons"].push_back(
            {{"name", reason.name}, {"count", reason.count}, {"time_ns", reason.time_ns}});
    }
    return json;
}

Json side_json(const run::Side& side) {
    const auto& environment = side.environment;
    Json json = {{"name", side.name}, {"kind", to_string(side.kind)}, {"runs", side.runs.size()}};
    json["environment"] = {{"kernel", Json::text_or_null(environment.kernel)},
                           {"cpu", Json::text_or_null(environment.cpu)},
                           {"cpus", environment.cpus},
                           {"memory_bytes", environment.memory_bytes},
                           {"hypervisor", Json::text_or_null(environment.hypervisor)},
                           {"clock_source", Json::text_or_null(environment.clock_source)},
                           {"cpu_hz", environment.cpu_hz}};
    json["vm_exits"] = exits_json(side);
    if (!side.exits) json["vm_exits_reason"] = "no guest under KVM, or a warning says why";
    json["exit_codes"] = Json::array();
    for (const auto& run : side.runs) json["exit_codes"].push_back(run.exit_code);
    return json;
}

Json row_json(const Row& row) {
    const bool whole = row.module.empty();
    Json json = {{"event", row.event},
                 {"symbol", whole ? Json(nullptr) : Json(row.symbol)},
                 {"dso", whole ? Json(nullptr) : Json(row.module)},
                 {"values", Json::array()}};
    for (const Cell& cell : row.cells) json["values"].push_back(cell.mean());
    // Of the second side to the first; `ratios` has all.
    json.update(ratio_json(row.ratios.size() > 1 ? row.ratios[1] : compare::Ratio()));
    json["unit"] = Json::text_or_null(row.unit);
    json["mode"] = whole ? Json(nullptr) : Json(row.in_kernel ? "kernel" : "user");
    json["resolved"] = row.resolved;
    json["sides"] = Json::array();
    for (const Cell& cell : row.cells) {
        json["sides"].push_back({{"state", to_string(cell.state)},
                                 {"reason", Json::text_or_null(cell.reason)},
                                 {"deviation", cell.ok() ? Json(cell.deviation()) : Json(nullptr)},
                                 {"runs", cell.values},
                                 {"symbol", Json::text_or_null(cell.name)}});
    }
    json["ratios"] = Json::array();
    for (const auto& ratio : row.ratios) json["ratios"].push_back(ratio_json(ratio));
    return json;
}

std::string number(const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
}

std::string row_csv(const Row& row, run::Per per) {
    const bool whole = row.module.empty();
    std::string text = fmt::format("{},{},{},{},{},{}", csv_field(row.event), csv_field(row.unit),
                                   csv_field(whole ? "" : row.symbol), csv_field(row.module),
                                   whole           ? ""
                                   : row.in_kernel ? "kernel"
                                                   : "user",
                                   row.resolved ? 1 : 0);
    for (const Cell& cell : row.cells) {
        text += fmt::format(",{},{},{},{}", number(cell.mean()),
                            cell.ok() ? number(cell.deviation()) : "", cell.values.size(),
                            to_string(cell.state));
    }
    for (std::size_t i = 1; i < row.ratios.size(); ++i) {
        const auto& ratio = row.ratios[i];
        text += fmt::format(",{},{},{},{},{}", number(ratio.ratio), number(ratio.ci_low),
                            number(ratio.ci_high), number(ratio.p_adjusted),
                            ratio.significant ? (*ratio.significant ? "1" : "0") : "");
    }
    for (const Cell& cell : row.cells) text += fmt::format(",{}", fmt::join(cell.values, " "));
    return fmt::format("{},{}\n", text, to_string(per));
}

}  // namespace

std::vector<std::string> sampled_events(const CompareView& view) {
    std::vector<std::string> events;
    for (const auto& row : view.comparison.functions) {
        if (events.empty() || events.back() != row.event) events.push_back(row.event);
    }
    return events;
}

std::string compare_csv(const CompareView& view) {
    std::string text = "event,unit,symbol,dso,mode,resolved";
    for (const auto& side : view.sides) {
        for (const char* what : {"value", "deviation", "runs", "state"}) {
            text += "," + csv_field(side.name + "_" + what);
        }
    }
    for (std::size_t i = 1; i < view.sides.size(); ++i) {
        for (const char* what : {"ratio", "ci_low", "ci_high", "p_adjusted", "significant"}) {
            text += "," + csv_field(view.sides[i].name + "_" + what);
        }
    }
    for (const auto& side : view.sides) text += "," + csv_field(side.name + "_values");
    text += ",per\n";
    const auto& comparison = view.comparison;
    for (const auto* rows : {&comparison.events, &comparison.functions, &comparison.unresolved}) {
        for (const Row& row : *rows) text += row_csv(row, comparison.per);
    }
    return text;
}

std::vector<EventFile> compare_event_files(const CompareView& view) {
    std::vector<EventFile> files;
    for (const auto& event : sampled_events(view)) {
        CompareView part = view;
        for (auto* rows :
             {&part.comparison.events, &part.comparison.functions, &part.comparison.unresolved}) {
            std::erase_if(*rows, [&](const Row& row) { return row.event != event; });
        }
        files.push_back({event, compare_csv(part)});
    }
    return files;
}

std::string compare_json(const CompareView& view, int indent) {
    Json json;
    json["schema"] = "ringside.compare/1";
    json["title"] = Json::text_or_null(view.title);
    json["per"] = to_string(view.comparison.per);
    json["test"] = compare::test_name;
    json["sides"] = Json::array();
    for (const auto& side : view.sides) json["sides"].push_back(side_json(side));
    json["rows"] = Json::array();
    const auto& comparison = view.comparison;
    for (const auto* rows : {&comparison.events, &comparison.functions, &comparison.unresolved}) {
        for (const Row& row : *rows) json["rows"].push_back(row_json(row));
    }
    json["summary"] = Json::array();
    for (const auto& finding : view.summary) {
        json["summary"].push_back({{"side", finding.side},
                                   {"cause", finding.cause},
                                   {"text", finding.text},
                                   {"share", finding.share},
                                   {"sure", finding.sure}});
    }
    json["warnings"] = view.warnings;
    return json.text(indent);
}

}  // namespace ringside::report
