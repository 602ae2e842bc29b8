// Exits and profiles of a real KVM host, with perf as the judge: the machine of
// experiments/guest-view records them with both.
#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/text.h"
#include "box.h"

namespace ringside::system_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;
using Counts = std::map<std::string, std::uint64_t>;

BoxResult run_here(const std::vector<std::string>& argv) {
    auto output = base::run(argv);
    if (!output) return {-1, "", output.error().what};
    return {output->status.shell_code(), std::move(output->stdout_text),
            std::move(output->stderr_text)};
}

// "  interrupt   1449   59.02%   7.82%   13.68us ...": names may hold blanks.
Counts perf_counts(const std::string& text) {
    Counts counts;
    for (const auto line : base::split_lines(text)) {
        const auto words = base::split_words(line);
        std::size_t share = 0;
        while (share < words.size() && !words[share].ends_with('%')) ++share;
        if (share < 2 || share >= words.size()) continue;
        const auto count = base::parse_u64(words[share - 1]);
        if (!count) continue;
        std::string name(words[0]);
        for (std::size_t i = 1; i + 1 < share; ++i) name += " " + std::string(words[i]);
        counts[name] = *count;
    }
    return counts;
}

Json report_of(const std::string& file) {
    const auto result =
        run_here({RINGSIDE_BINARY_DIR "/ringside", "kvm", "stat", "report", "--json", "-i", file});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out, nullptr, false);
}

// Over all machines of the report.
Counts our_counts(const Json& report) {
    Counts counts;
    for (const auto& machine : report["machines"])
        for (const auto& row : machine["reasons"]) counts[row["name"]] += row["count"].get<int>();
    return counts;
}

Counts perf_counts_of_file(const std::string& file) {
    const auto result = run_here({"perf", "kvm", "-i", file, "stat", "report"});
    return perf_counts(result.out + result.err);  // the table is told on standard error
}

// Recorded by both, read by both: every reason has the same count.
void expect_same_counts(const std::string& file) {
    const auto report = report_of(file);
    ASSERT_FALSE(report.is_discarded());
    const Counts ours = our_counts(report);
    EXPECT_GT(ours.size(), 1u) << report;
    EXPECT_EQ(ours, perf_counts_of_file(file)) << file;
    EXPECT_EQ(report["lost"], 0);
    ASSERT_EQ(report["machines"].size(), 1u) << report;
    const auto& machine = report["machines"][0];
    EXPECT_THAT(machine["name"].get<std::string>(), HasSubstr("qemu"));
    ASSERT_EQ(machine["vcpus"].size(), 2u) << report;
    EXPECT_EQ(machine["vcpus"][1]["vcpu"], 1);
    for (const auto& row : machine["reasons"]) {
        EXPECT_THAT(row["name"].get<std::string>(), Not(HasSubstr("reason"))) << row;
        EXPECT_EQ(row["table"], "svm");
        EXPECT_LE(row["min_ns"], row["p50_ns"]) << row;
        EXPECT_LE(row["p50_ns"], row["p99_ns"]) << row;
        EXPECT_LE(row["p99_ns"], row["max_ns"]) << row;
        EXPECT_EQ(row["time_pct"].is_null(), row["halt"].get<bool>()) << row;
    }
}

TEST(KvmStatX86, CountsWhatPerfCountsAndTheGuestsSamplesGetTheirNames) {
    REQUIRE_BOX("x86");
    const Scratch scratch;
    const auto made = run_here({"env", "RINGSIDE_BUILD=" RINGSIDE_BINARY_DIR,
                                RINGSIDE_SOURCE_DIR "/experiments/guest-view/run", "-o",
                                scratch.path().string()});
    ASSERT_EQ(made.exit_code, 0) << made.out << made.err;
    EXPECT_THAT(made.out, Not(HasSubstr("NO: ")));
    std::printf("%s", made.out.c_str());

    expect_same_counts(scratch.file("exits.data"));
    expect_same_counts(scratch.file("perf-exits.data"));

    // Ended by SIGINT, in the order in which they were begun: the profilers, then those of exits.
    const std::string ended = scratch.read("ended");
    const auto codes = base::split_words(ended);
    ASSERT_EQ(codes.size(), 6u) << ended;
    for (const std::size_t ours : {0, 2, 3, 4}) EXPECT_EQ(codes[ours], "0") << ended;

    // Without a file the same is seen.
    const auto direct = Json::parse(scratch.read("stat.json"), nullptr, false);
    ASSERT_FALSE(direct.is_discarded());
    EXPECT_EQ(direct["schema"], "ringside.kvm-stat/1");
    EXPECT_EQ(our_counts(direct), our_counts(report_of(scratch.file("exits.data"))));
    Counts live;
    for (const auto& row : base::parse_csv(scratch.read("live.csv")))
        if (row.size() == 16) live[row[4]] += base::parse_u64(row[8]).value_or(0);
    live.erase("reason");  // the head
    EXPECT_EQ(live, our_counts(direct));
}

// "Total events handled time:861430.94us."
std::uint64_t perf_total_ns(const std::string& text) {
    constexpr std::string_view key = "Total events handled time:";
    const auto at = text.find(key);
    if (at == std::string::npos) return 0;
    return static_cast<std::uint64_t>(std::llround(std::stod(text.substr(at + key.size())) * 1e3));
}

// perf's own recording, read here. On arm64 perf 6.1 takes an entry for the beginning and the exit
// for the end: its counts are those of exits, not over or not, and its times are those in the
// guest.
TEST(KvmStatArm64, CountsWhatPerfCounts) {
    REQUIRE_BOX("arm64");
    const Scratch scratch;
    const auto beside = scratch.write(
        "record",
        "#!/bin/sh\n"
        "trap '' TERM\n"
        "cd /tmp\n"
        "touch /run/ringside/ready\n"
        "until grep -q command /run/ringside/inner.status 2>/dev/null; do sleep 0.05; done\n"
        "vmm=$(pidof qemu-system-aarch64)\n"
        "kill -STOP $vmm\n"
        "perf kvm stat record -p $vmm -o exits.data >record.log 2>&1 & recorder=$!\n"
        "until [ -s exits.data ]; do sleep 0.1; done\n"
        "sleep 0.5\n"
        "kill -CONT $vmm\n"
        "sleep 1\n"
        "kill -STOP $vmm\n"
        "kill -INT $recorder\n"
        "wait $recorder\n"
        "perf kvm -i exits.data stat report >report.txt 2>&1\n"
        "kill -CONT $vmm\n");
    const auto box = run_box({"run", "arm64-kvm", "--inner", "--beside", beside, "--host-get",
                              "/tmp/exits.data:" + scratch.file("exits.data"), "--host-get",
                              "/tmp/report.txt:" + scratch.file("report.txt"), "--", "sh", "-c",
                              "for n in 1 2 3 4 5 6 7 8; do sleep 0.02; cat /proc/cpuinfo; done; "
                              "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"});
    ASSERT_EQ(box.exit_code, 0) << box.out << box.err;
    const auto report = report_of(scratch.file("exits.data"));
    ASSERT_FALSE(report.is_discarded());
    ASSERT_EQ(report["machines"].size(), 1u) << report;
    const auto& machine = report["machines"][0];
    const std::string judged = scratch.read("report.txt");
    const Counts ours = our_counts(report);
    EXPECT_TRUE(ours.contains("IRQ") && ours.contains("WFx")) << report;
    std::uint64_t not_over = 0;
    for (const auto& [name, count] : perf_counts(judged)) {
        const std::uint64_t own = ours.contains(name) ? ours.at(name) : 0;
        EXPECT_GE(count, own) << name << "\n" << judged;
        not_over += count - own;
    }
    EXPECT_EQ(not_over, machine["not_counted"]["open_at_end"]) << judged << report;
    EXPECT_NEAR(static_cast<double>(perf_total_ns(judged)), machine["guest_ns"].get<double>(), 10)
        << judged;
    for (const auto& row : machine["reasons"])
        EXPECT_THAT(row["table"].get<std::string>(), ::testing::StartsWith("arm64")) << row;
    EXPECT_GT(machine["halt_ns"], 0) << "the guest slept";
    for (const auto& vcpu : machine["vcpus"])
        EXPECT_TRUE(vcpu["vcpu"].is_number() || vcpu.contains("vcpu_reason")) << vcpu;
}

}  // namespace
}  // namespace ringside::system_test
