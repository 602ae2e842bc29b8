// `ringside stat`: counts, metrics and times as text, CSV and JSON.
#include <gtest/gtest.h>

#include "golden.h"
#include "report/stat/stat_report.h"
#include "times.h"

namespace ringside::report {
namespace {

analysis::StatRow made_row(std::string name, double value, CounterState state = CounterState::ok) {
    analysis::StatRow row;
    row.name = std::move(name);
    row.value = value;
    row.state = state;
    return row;
}

StatReport made_stat() {
    StatReport report;
    report.subject = "gzip -k a";
    report.command = {"gzip", "-k", "a"};
    report.rows = {made_row("instructions", 1'234'567'890), made_row("cycles", 0),
                   made_row("cache-misses", 0, CounterState::starved), made_row("ipc", 0.75),
                   made_row("kvm:kvm_msr", 17)};
    report.rows[0].soft = true;
    report.rows[1].running_ratio = 0.25;
    report.rows[1].scale_error = 12;
    report.rows[2].reason = "the hypervisor, \"lent\" it away";
    report.rows[3].metric = true;
    report.rows[3].unit = "insn/cycle";
    report.rows[4].filter = "ecx == 0xc1";
    report.rows[4].place = "CPU 1";
    report.left_out = {made_row("LLC-loads", 0, CounterState::absent),
                       made_row("branches", 0, CounterState::absent)};
    report.left_out[0].reason = report.left_out[1].reason = "the kernel knows no such event";
    report.notes = {"counted with the children"};
    report.time = times::split();
    report.exit_code = 3;
    return report;
}

StatReport of_several_runs() {
    StatReport report = made_stat();
    report.runs = 3;
    report.rows.resize(1);
    report.rows[0].runs = analysis::Summary{3, 1'234'567'890, 100, 250.5, 1'234'567'000, 2e16};
    report.wall = analysis::Summary{3, 2e9, 1e6, 2.5e6, 1.9e9, 2.1e9};
    return report;
}

StatInterval made_interval() {
    return {1.5, made_stat().rows, times::machine()};
}

TEST(StatReport, Text) {
    golden::expect("stat.txt", stat_text(made_stat(), Style(nullptr)));
    golden::expect("stat_runs.txt", stat_text(of_several_runs(), Style(nullptr)));
    golden::expect("stat_interval.txt", stat_text(made_interval(), Style(nullptr)));
}

TEST(StatReport, Csv) {
    golden::expect("stat.csv", stat_csv_header() + stat_csv(made_stat()));
    golden::expect("stat_runs.csv", stat_csv(of_several_runs()));
    golden::expect("stat_interval.csv", stat_csv(made_interval()));
}

TEST(StatReport, Json) {
    golden::expect("stat.json", stat_json(made_stat(), false));
    golden::expect("stat_runs.json", stat_json(of_several_runs(), true));
    golden::expect("stat_interval.json", stat_json(made_interval()));
}

}  // namespace
}  // namespace ringside::report
