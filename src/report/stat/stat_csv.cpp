#include <fmt/format.h>

#include "base/csv.h"
#include "report/stat/stat_report.h"
#include "report/time/time_view.h"

namespace ringside::report {

namespace {

using analysis::StatRow;
using analysis::StatRows;
using base::csv_field;

std::string number(double value, bool metric) {
    return metric ? fmt::format("{}", value) : fmt::format("{:.0f}", value);
}

std::string row_csv(const std::string& at_s, const StatRow& row) {
    std::string text = fmt::format(
        "{},event,{},{},{},{},{},{},{},{:.6f},{:.0f}", at_s, csv_field(row.place),
        csv_field(row.name), csv_field(row.filter),
        row.ok() ? number(row.value, row.metric || row.runs) : std::string(), row.unit,
        to_string(row.state), csv_field(row.reason), row.running_ratio, row.scale_error);
    const char* soft = row.soft ? "1" : "0";
    if (!row.runs) return text + fmt::format(",1,,,,,{}\n", soft);
    return text + fmt::format(",{},{},{},{},{},{}\n", row.runs->count, row.runs->deviation,
                              row.runs->confidence, number(row.runs->least, row.metric),
                              number(row.runs->most, row.metric), soft);
}

std::string time_csv(const std::string& at_s, const TimeReport& time) {
    std::string text;
    for (const auto& [name, value] : time_values(time)) {
        const bool ns = name.ends_with("_ns");
        text += fmt::format("{},time,,{},,{},{},,,,,,,,,,\n", at_s,
                            ns ? name.substr(0, name.size() - 3) : name,
                            value ? std::to_string(*value) : std::string(), ns ? "ns" : "");
    }
    return text;
}

std::string rows_csv(const std::string& at_s, const StatRows& rows, const TimeReport& time) {
    std::string text;
    for (const StatRow& row : rows) text += row_csv(at_s, row);
    return text + time_csv(at_s, time);
}

}  // namespace

std::string stat_csv_header() {
    return "at_s,kind,place,name,filter,value,unit,state,reason,running_ratio,scale_error,runs,"
           "deviation,confidence_95,least,most,soft\n";
}

std::string stat_csv(const StatReport& report) {
    return rows_csv({}, report.rows, report.time);
}

std::string stat_csv(const StatInterval& interval) {
    return rows_csv(fmt::format("{:.6f}", interval.at_s), interval.rows, interval.time);
}

}  // namespace ringside::report
