#include "base/json.h"
#include "report/stat/stat_report.h"
#include "report/time/time_view.h"
#include "run/folder.h"

namespace ringside::report {

namespace {

using analysis::StatRow;
using analysis::StatRows;
using analysis::Summary;
using base::Json;

Json summary_json(const Summary& summary) {
    return {{"count", summary.count},
            {"mean", run::number_json(summary.mean)},
            {"deviation", summary.deviation},
            {"confidence_95", summary.confidence},
            {"least", run::number_json(summary.least)},
            {"most", run::number_json(summary.most)}};
}

Json row_json(const StatRow& row) {
    Json json = run::measurement_json(row);
    if (row.runs) json["runs"] = summary_json(*row.runs);
    return json;
}

Json rows_json(const StatRows& rows) {
    Json json = Json::array();
    for (const StatRow& row : rows) json.push_back(row_json(row));
    return json;
}

std::string written(const Json& json, bool one_line) {
    return json.text(one_line ? -1 : 2);
}

}  // namespace

std::string stat_json(const StatReport& report, bool one_line) {
    Json json;
    json["schema"] = "ringside.stat/1";
    json["subject"] = report.subject;
    json["command"] = report.command;
    json["runs"] = report.runs;
    json["events"] = rows_json(report.rows);
    json["left_out"] = rows_json(report.left_out);
    json["time"] = values_json(time_values(report.time));
    if (report.wall) json["wall"] = summary_json(*report.wall);
    json["budget"] = time_sources(report.time);
    json["notes"] = report.notes;
    json["exit_code"] = report.exit_code;
    return written(json, one_line);
}

std::string stat_json(const StatInterval& interval) {
    Json json;
    json["schema"] = "ringside.stat.interval/1";
    json["at_s"] = interval.at_s;
    json["events"] = rows_json(interval.rows);
    json["time"] = values_json(time_values(interval.time));
    return written(json, true);
}

}  // namespace ringside::report
