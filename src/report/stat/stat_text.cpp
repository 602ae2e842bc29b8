#include <cmath>

#include <fmt/format.h>

#include "report/amounts.h"
#include "report/stat/stat_report.h"
#include "report/time/time_view.h"

namespace ringside::report {

namespace {

using analysis::StatRow;
using analysis::StatRows;

std::string value_text(const StatRow& row) {
    if (!row.ok()) return "-";
    return row.metric ? fmt::format("{:.4g}", row.value) : grouped(row.value);
}

void add(std::string& remarks, const std::string& remark) {
    if (remark.empty()) return;
    remarks += (remarks.empty() ? "" : "; ") + remark;
}

std::string spread_text(const StatRow& row) {
    if (!row.runs || row.runs->count < 2) return {};
    const auto shown = [&](double value) {
        return row.metric ? fmt::format("{:.4g}", value) : grouped(value);
    };
    return fmt::format("+- {:.2f} % (95 %), {} to {}, deviation {:.2f} %",
                       percent(row.runs->confidence, std::abs(row.value)), shown(row.runs->least),
                       shown(row.runs->most), percent(row.runs->deviation, std::abs(row.value)));
}

std::string scaling_text(const StatRow& row) {
    if (!row.scaled()) return {};
    return fmt::format("scaled by {:.2f}: counted {:.1f} % of the time, +- {:.1f} %",
                       1 / row.running_ratio, 100 * row.running_ratio,
                       percent(row.scale_error, std::abs(row.value)));
}

std::string row_text(const StatRow& row, const StatRows& rows, std::uint64_t wall,
                     const Style& style) {
    std::string remarks;
    if (!row.ok()) {
        add(remarks, style.warn(to_string(row.state)) + ": " + row.reason);
    }
    add(remarks, remark_on(row, rows, wall));
    add(remarks, spread_text(row));
    add(remarks, style.warn(scaling_text(row)));
    std::string name = row.unit.empty() ? row.name : row.name + " [" + row.unit + "]";
    if (row.soft) name += " (soft)";
    if (!row.filter.empty()) name += " {" + row.filter + "}";
    auto line = fmt::format("{:>20}  {:<28} {}", value_text(row), name, remarks);
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

std::string left_out_text(const StatRows& rows, const Style& style) {
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool same = i > 0 && rows[i].state == rows[i - 1].state;
        if (!same) {
            text += fmt::format("{}  left out, because {} here ({}): {}", text.empty() ? "" : "\n",
                                to_string(rows[i].state), rows[i].reason, rows[i].name);
        } else {
            text += ", " + rows[i].name;
        }
    }
    return text.empty() ? text : style.dim(text) + "\n";
}

std::string wall_text(const StatReport& report) {
    if (!report.wall || report.wall->count < 2) return {};
    const auto& wall = *report.wall;
    return fmt::format(
        "{:12.6f} s           real on average of {} runs, +- {:.2f} % (95 %), {:.6f} "
        "to {:.6f} s\n",
        wall.mean / 1e9, wall.count, percent(wall.confidence, wall.mean), wall.least / 1e9,
        wall.most / 1e9);
}

}  // namespace

std::string stat_text(const StatReport& report, const Style& style) {
    std::string text = fmt::format("\n{}\n", style.strong(report.subject));
    std::string place;
    for (const StatRow& row : report.rows) {
        if (row.place != place) text += "  " + row.place + ":\n";
        place = row.place;
        text += row_text(row, report.rows, wall_ns(report.time), style);
    }
    for (const auto& note : report.notes) text += style.dim("  " + note) + "\n";
    text +=
        left_out_text(report.left_out, style) + "\n" + wall_text(report) + time_text(report.time);
    if (report.exit_code) text += fmt::format("{:12}             exit code\n", *report.exit_code);
    return text;
}

std::string stat_text(const StatInterval& interval, const Style& style) {
    std::string text;
    for (const StatRow& row : interval.rows) {
        text += fmt::format("{:10.3f} s {:>12} {}", interval.at_s, row.place,
                            row_text(row, interval.rows, wall_ns(interval.time), style));
    }
    return text + fmt::format("{:10.3f} s {:>12} {:>20}  {}\n", interval.at_s, "", "time",
                              time_line(interval.time));
}

}  // namespace ringside::report
