// What `ringside merge` found, as text, CSV and JSON.
#include <gtest/gtest.h>

#include "golden.h"
#include "report/merge/merge_report.h"

namespace ringside::report {
namespace {

merge::MergeReport made_merge() {
    merge::MergeReport report;
    report.host_file = "host.data";
    report.host_first_ns = 1'000'000'000;
    report.host_last_ns = 3'500'000'000;
    report.host_lost = 1;
    report.sees_steal = true;
    merge::GuestReport guest;
    guest.name = "web,1";
    guest.file = "web\033.data";
    guest.pid = 4711;
    guest.source = merge::ClockSource::counter;
    guest.offset_ns = -12'345'678'901;
    guest.drift_ppm = -1.25;
    guest.uncertainty_ns = 830;
    guest.agreement = {90, 2, 8};
    guest.vcpus_matched = true;
    guest.host_time = {1'100'000'000, 2'600'000'000};
    merge::VcpuReport vcpu;
    vcpu.guest_cpu = 1;
    vcpu.vcpu = 0;
    vcpu.tid = 4713;
    vcpu.agreement = {90, 2, 8};
    vcpu.exits = 321;
    for (std::size_t i = 0; i < vcpu.host_ns.size(); ++i) vcpu.host_ns[i] = 1'000'000 * (i + 1);
    guest.vcpus.push_back(vcpu);
    vcpu.vcpu = std::nullopt;
    vcpu.guest_stolen_ns = 5'500'000;
    guest.vcpus.push_back(vcpu);
    report.guests.push_back(guest);
    report.warnings = {"a record was lost"};
    return report;
}

merge::MergeReport made_merged_file() {
    auto report = made_merge();
    report.sees_steal = report.sees_wakeups = report.sees_vmm = true;
    report.guests[0].source = merge::ClockSource::given;
    report.output = "merged.data";
    report.host_samples = 500;
    report.guest_samples = 100;
    report.replaced_samples = 40;
    return report;
}

TEST(MergeReport, Text) {
    golden::expect("merge.txt", merge_text(made_merge()));
    golden::expect("merge_written.txt", merge_text(made_merged_file()));
}

TEST(MergeReport, Csv) {
    golden::expect("merge.csv", merge_csv(made_merge()));
}

TEST(MergeReport, Json) {
    golden::expect("merge.json", merge_json(made_merge()));
    golden::expect("merge_written.json", merge_json(made_merged_file()));
}

TEST(MergeReport, WhatTheHostDidNotRecordIsNoZero) {
    merge::MergeReport report;
    EXPECT_TRUE(is_seen(report, merge::Doing::running));
    EXPECT_FALSE(is_seen(report, merge::Doing::sleeping));
    EXPECT_FALSE(is_seen(report, merge::Doing::waiting));
    EXPECT_FALSE(is_seen(report, merge::Doing::vmm));
    report.sees_steal = report.sees_vmm = true;
    EXPECT_TRUE(is_seen(report, merge::Doing::waiting));
    EXPECT_TRUE(is_seen(report, merge::Doing::vmm));
}

}  // namespace
}  // namespace ringside::report
