// The same command under Debian's `perf stat` and under `ringside stat`: where the kernel counts
// exactly, both must say the same.
#include <algorithm>
#include <array>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/process.h"
#include "base/text.h"

namespace ringside::cli {
namespace {

using Counts = std::map<std::string, double>;
using Words = std::vector<std::string>;

// Five children, each of which executes a program, and 200 pages of output read through a pipe.
const Words command = {"sh", "-c",
                       "for i in 1 2 3 4 5; do /bin/true; done; "
                       "dd if=/dev/zero bs=4096 count=200 2>/dev/null | cat >/dev/null"};

Words with_command(Words words) {
    words.emplace_back("--");
    words.insert(words.end(), command.begin(), command.end());
    return words;
}

// perf's -x, output: value, unit, event, ...
Counts by_perf(const std::string& events) {
    const auto output = base::run(with_command({"perf", "stat", "-x,", "-e", events}));
    Counts counts;
    if (!output) return counts;
    for (const auto line : base::split_lines(output->stderr_text)) {
        const auto fields = base::split(line, ',');
        if (fields.size() < 3) continue;
        if (const auto value = base::parse_u64(fields[0])) {
            counts[std::string(fields[2])] = static_cast<double>(*value);
        }
    }
    return counts;
}

Counts by_ringside(const std::string& events) {
    const auto output = base::run(with_command({RINGSIDE_COMMAND, "stat", "--json", "-e", events}));
    Counts counts;
    if (!output) return counts;
    const auto json = nlohmann::json::parse(output->stdout_text, nullptr, false);
    for (const auto& event : json.value("events", nlohmann::json::array())) {
        EXPECT_EQ(event.value("state", ""), "ok") << event;
        if (event.at("value").is_number()) {
            counts[event.at("name").get<std::string>()] = event.at("value").get<double>();
        }
    }
    return counts;
}

bool perf_works() {
    return !by_perf("page-faults").empty();
}

TEST(StatBesidePerf, TracepointsAgreeToTheLast) {
    const std::string events =
        "sched:sched_process_fork,sched:sched_process_exec,sched:sched_process_exit";
    if (!perf_works() || ::geteuid() != 0) GTEST_SKIP() << "needs perf and root";
    const Counts perf = by_perf(events);
    if (perf.size() != 3) GTEST_SKIP() << "perf cannot count these tracepoints here";
    EXPECT_EQ(by_ringside(events), perf);
    EXPECT_EQ(perf.at("sched:sched_process_fork"), 7);  // a child for each program, two in the pipe
}

// The middle one of five, taken by turns.
std::pair<double, double> medians(const std::string& event) {
    std::array<double, 5> theirs{};
    std::array<double, 5> ours{};
    for (std::size_t i = 0; i < ours.size(); ++i) {
        theirs[i] = by_perf(event)[event];
        ours[i] = by_ringside(event)[event];
    }
    std::nth_element(theirs.begin(), theirs.begin() + 2, theirs.end());
    std::nth_element(ours.begin(), ours.begin() + 2, ours.end());
    return {theirs[2], ours[2]};
}

// Where memory lies differs from run to run, and with it the number of faults by a few in a
// hundred, whoever counts.
TEST(StatBesidePerf, SoftwareEventsAgree) {
    const std::string events = "page-faults,minor-faults,major-faults";
    if (!perf_works()) GTEST_SKIP() << "needs perf";
    const Counts ours = by_ringside(events);
    ASSERT_EQ(by_perf(events).size(), 3u);
    ASSERT_EQ(ours.size(), 3u);
    const auto [theirs, median] = medians("page-faults");
    ASSERT_GT(theirs, 0);
    EXPECT_NEAR(median / theirs, 1, 0.02);
    EXPECT_EQ(ours.at("page-faults"), ours.at("minor-faults") + ours.at("major-faults"));
}

}  // namespace
}  // namespace ringside::cli
