// ringside stat on a real PMU whose counts are exact: against a loop that is known, against perf on
// the same machine, and with more events than there are counters.
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "box.h"

namespace ringside::system_test {
namespace {

using Json = nlohmann::json;

// One boot for all of it. The counts of the last two differ by the loop alone.
constexpr const char* measure_script =
    "#!/bin/sh\n"
    "cd /tmp\n"
    "stat() { name=$1; shift; ringside stat --json -o $name.json \"$@\" || exit 1; }\n"
    "stat few -e instructions:u,cycles:u -- counted_loop 1000000\n"
    "stat many -e instructions:u,cycles:u -- counted_loop 3000000\n"
    "perf stat -x, -o perf.csv -e instructions:u -- counted_loop 3000000 || exit 1\n"
    "stat default -- counted_loop 1000000\n"
    "stat scaled -e r8:u,r08:u,r008:u,r0008:u,r00008:u,r000008:u,r0000008:u,inst_retired:u "
    "-- counted_loop 20000000\n"
    "stat pinned -e r8:uD,r08:uD,r008:uD,r0008:uD,r00008:uD,r000008:uD,r0000008:uD "
    "-- counted_loop 1000000\n"
    "stat metric -M ipc -e instructions -- counted_loop 1000000\n"
    "stat repeated -r 3 -e instructions:u -- counted_loop 1000000\n"
    "stat dead -e r21:u -- counted_loop 1000000\n"
    "stat probes -e kprobe:do_exit,uprobe:/usr/bin/many_calls:called_many_times -- many_calls 21\n"
    "ringside stat --require -e br_retired -- touch ran && exit 1\n"
    "[ -e ran ] && exit 1\n"
    "exit 0\n";

const std::vector<std::string> files = {
    "few.json",    "many.json",   "perf.csv",      "default.json", "scaled.json",
    "pinned.json", "metric.json", "repeated.json", "dead.json",    "probes.json"};

Json event_in(const Json& report, const std::string& name) {
    for (const auto& each : report.at("events")) {
        if (each.at("name") == name) return each;
    }
    ADD_FAILURE() << "no " << name << " in " << report;
    return Json::object();
}

std::int64_t value(const Json& report, const std::string& name) {
    const Json found = event_in(report, name);
    EXPECT_EQ(found.value("state", ""), "ok") << found;
    return found.value("value", Json(0)).is_number() ? found.at("value").get<std::int64_t>() : 0;
}

std::map<std::string, std::string> measure_in_box() {
    const std::string workloads = RINGSIDE_SOURCE_DIR "/build/arm64/workloads/";
    const Scratch scratch;
    std::vector<std::string> box{"run", "arm64-pmu", "--put",
                                 scratch.write("measure", measure_script) + ":/usr/bin/measure"};
    for (const std::string program : {"counted_loop", "many_calls"}) {
        box.insert(box.end(), {"--put", workloads + program + ":/usr/bin/" + program});
    }
    for (const auto& file : files) {
        box.insert(box.end(), {"--get", "/tmp/" + file + ":" + scratch.file(file)});
    }
    box.insert(box.end(), {"--", "measure"});
    const BoxResult result = run_box(box);
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    std::map<std::string, std::string> contents;
    for (const auto& file : files) {
        if (result.exit_code == 0) contents[file] = scratch.read(file);
    }
    return contents;
}

std::int64_t counted_by_perf(const std::string& csv) {
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("instructions") != std::string::npos) return std::stoll(line);
    }
    return -1;
}

void expect_scaled(const Json& report) {
    bool any = false;
    for (const auto& each : report.at("events")) {
        ASSERT_EQ(each.at("state"), "ok") << each;
        if (each.at("running_ratio") == 1.0) continue;
        any = true;
        const double error = each.at("scale_error");
        EXPECT_GT(error, 0) << each;
        EXPECT_NEAR(each.at("value").get<double>(), 40e6, 5 * error + 1e5) << each;
    }
    EXPECT_TRUE(any) << report;
}

// Six counters for seven events that insist on one.
void expect_one_without_a_counter(const Json& report) {
    int without = 0;
    for (const auto& each : report.at("events")) {
        if (each.at("state") == "ok") continue;
        EXPECT_EQ(each.at("state"), "not_scheduled") << each;
        EXPECT_TRUE(each.at("value").is_null()) << each;
        EXPECT_TRUE(each.at("reason").is_string()) << each;
        ++without;
    }
    EXPECT_EQ(without, 1) << report;
}

TEST(Stat, OnAPmuWhoseCountsAreExact) {
    REQUIRE_BOX("arm64");
    if (const auto why = missing_arm64_build(); !why.empty()) GTEST_SKIP() << why;
    if (!fs::exists(RINGSIDE_SOURCE_DIR "/build/arm64/workloads/many_calls")) {
        GTEST_SKIP() << "no arm64 build of the programs to measure";
    }
    auto contents = measure_in_box();
    ASSERT_EQ(contents.size(), files.size());
    const auto report = [&](const std::string& name) {
        return Json::parse(contents.at(name + ".json"));
    };
    const auto many = value(report("many"), "instructions:u");
    EXPECT_EQ(many - value(report("few"), "instructions:u"), 2 * 2'000'000);
    // perf's variables make the environment that the program starts with a little longer.
    EXPECT_NEAR(static_cast<double>(many),
                static_cast<double>(counted_by_perf(contents.at("perf.csv"))), 5000);

    // Nobody named events: only those that count are there.
    for (const auto& each : report("default").at("events")) {
        EXPECT_EQ(each.at("state"), "ok") << each;
    }
    EXPECT_GT(value(report("default"), "instructions"), 2'000'000);
    expect_scaled(report("scaled"));
    expect_one_without_a_counter(report("pinned"));

    // The machine's clock is its instructions.
    EXPECT_NEAR(event_in(report("metric"), "ipc").at("value").get<double>(), 1, 0.01);
    const Json runs = event_in(report("repeated"), "instructions:u").at("runs");
    EXPECT_EQ(runs.at("count"), 3);
    EXPECT_EQ(runs.at("least"), runs.at("most")) << runs;
    const Json dead = event_in(report("dead"), "r21:u");
    EXPECT_EQ(dead.at("state"), "dead") << dead;
    EXPECT_TRUE(dead.at("value").is_null());
    EXPECT_EQ(value(report("probes"), "kprobe:do_exit"), 1);
    EXPECT_EQ(value(report("probes"), "uprobe:/usr/bin/many_calls:called_many_times"), 21);
}

}  // namespace
}  // namespace ringside::system_test
