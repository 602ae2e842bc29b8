// What `ringside stat` found, and the ways in which it is written down.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "accounting/time_report.h"
#include "analysis/stat.h"
#include "report/style.h"

namespace ringside::report {

using accounting::TimeReport;

struct StatReport {
    std::string subject;               // "gzip -k a", "process 17", "the machine"
    std::vector<std::string> command;  // that was run; empty if none was
    std::size_t runs = 1;
    analysis::StatRows rows;
    analysis::StatRows left_out;     // events that were chosen for the user and cannot count here
    std::vector<std::string> notes;  // how it was counted, where that needs a word
    TimeReport time;
    std::optional<analysis::Summary> wall;  // of several runs, in ns
    std::optional<int> exit_code;
};

// One of several readings while it went on.
struct StatInterval {
    double at_s = 0;  // since the beginning; it ended then
    analysis::StatRows rows;
    TimeReport time;
};

std::string stat_text(const StatReport& report, const Style& style);
std::string stat_text(const StatInterval& interval, const Style& style);

// Schema "ringside.stat/1". Whole lines.
std::string stat_json(const StatReport& report, bool one_line);
// Schema "ringside.stat.interval/1": one line.
std::string stat_json(const StatInterval& interval);

// One row for each event, and one for each part of the time. New columns are added at the end only.
std::string stat_csv_header();
std::string stat_csv(const StatReport& report);
std::string stat_csv(const StatInterval& interval);

}  // namespace ringside::report
