// Exits of virtual machines as text, CSV and JSON.
#include <gtest/gtest.h>

#include "golden.h"
#include "report/kvm_stat/kvm_stat_report.h"

namespace ringside::report {
namespace {

kvm_stat::ExitTable made_exit_table() {
    kvm_stat::ExitTable table;
    kvm_stat::TableRow npf{{kvm_stat::ReasonTable::svm, 0x400}, "npf", false, {}};
    for (const std::uint64_t ns : {1'500, 2'500, 4'000'000}) npf.times.add(ns);
    kvm_stat::TableRow hlt{{kvm_stat::ReasonTable::svm, 0x78}, "hlt", true, {}};
    hlt.times.add(900'000'000);
    table.rows = {npf, hlt};
    table.exits = 4;
    table.exit_ns = npf.times.total_ns();
    table.halts = 1;
    table.halt_ns = 900'000'000;
    table.guest_ns = 1'000'000'000;
    table.unpaired.before_first_entry = 1;
    table.unpaired.out_of_order = 2;
    return table;
}

KvmStatReport made_exits() {
    KvmStatReport report;
    report.measured.duration_ns = 2'000'000'000;
    report.measured.passages = 8;
    report.measured.lost = 3;
    report.measured.warnings = {"something"};
    report.machines = {{4711,
                        "qemu-system-x86\033",
                        made_exit_table(),
                        {{0, 4713, made_exit_table()}, {{}, 4714, {}}}}};
    report.file = "host.data";
    report.exit_code = 0;
    return report;
}

KvmStatReport made_exits_interval() {
    KvmStatReport report = made_exits();
    report.per_vcpu = true;
    report.at_s = 1.5;
    report.machines[0].name.clear();
    return report;
}

TEST(KvmStatReport, Text) {
    golden::expect("kvm_stat.txt", kvm_stat_text(made_exits(), Style(nullptr)));
    golden::expect("kvm_stat_interval.txt", kvm_stat_text(made_exits_interval(), Style(nullptr)));
}

TEST(KvmStatReport, Csv) {
    golden::expect("kvm_stat.csv", kvm_stat_csv(made_exits(), true));
    golden::expect("kvm_stat_interval.csv", kvm_stat_csv(made_exits_interval(), false));
}

TEST(KvmStatReport, Json) {
    golden::expect("kvm_stat.json", kvm_stat_json(made_exits()));
    golden::expect("kvm_stat_interval.json", kvm_stat_json(made_exits_interval()));
}

TEST(KvmStatReport, NothingSeenIsExplained) {
    KvmStatReport report;
    EXPECT_EQ(kvm_stat_text(report, Style(nullptr)),
              "no entry or exit was seen: no virtual CPU ran, or this KVM does not fire kvm_entry "
              "and kvm_exit (paravirtual backends do not)\n");
    report.measured.passages = 1;
    EXPECT_EQ(nothing_seen(report), "no exit of this VM was seen; others have some");
    EXPECT_EQ(nothing_seen(made_exits()), "");
}

}  // namespace
}  // namespace ringside::report
