// `lab trace` against the trace-event format as documented ("Trace Event Format", JSON Object
// Format): what a viewer needs is there, and has the right type.
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/embedded.h"
#include "report/lab/lab_report.h"

namespace ringside::report {
namespace {

using Json = nlohmann::json;

Json traced(const std::string& name) {
    const auto text = base::embedded_file("lab/" + name + ".toml");
    const auto scenario = lab::parse_scenario(text.value_or(""), name).value();
    lab::Timeline timeline(1'000'000);
    (void)lab::simulate(scenario, lab::read_costs(), &timeline);
    return Json::parse(lab_trace(scenario, timeline));
}

TEST(LabTrace, HasTheShapeOfTheFormat) {
    const Json trace = traced("threads");
    EXPECT_EQ(trace.at("displayTimeUnit"), "ns");
    EXPECT_EQ(trace.at("otherData").at("dropped_events"), 0);
    ASSERT_TRUE(trace.at("traceEvents").is_array());
    std::set<std::pair<int, int>> named;
    std::map<std::string, unsigned> phases;
    for (const Json& event : trace.at("traceEvents")) {
        const auto phase = event.at("ph").get<std::string>();
        ++phases[phase];
        ASSERT_TRUE(event.at("name").is_string());
        const auto row = std::make_pair(event.at("pid").get<int>(), event.at("tid").get<int>());
        if (phase == "M") {
            ASSERT_TRUE(event.at("args").at("name").is_string());
            if (event.at("name") == "thread_name") named.insert(row);
            continue;
        }
        EXPECT_TRUE(named.contains(row));  // names come before use
        ASSERT_TRUE(event.at("ts").is_number());
        EXPECT_GE(event.at("ts").get<double>(), 0);
        if (phase == "X") {
            EXPECT_GE(event.at("dur").get<double>(), 0);
        } else {
            EXPECT_EQ(phase, "i");
            EXPECT_EQ(event.at("s"), "t");
        }
    }
    EXPECT_GT(phases["M"], 0u);
    EXPECT_GT(phases["X"], 0u);
    EXPECT_GT(phases["i"], 0u);
}

// Spans of a row do not overlap, or a viewer would nest them.
TEST(LabTrace, SpansOfARowFollowEachOther) {
    std::map<int, double> end_of_row;
    std::set<std::string> names;
    const Json trace = traced("migration");
    for (const Json& event : trace.at("traceEvents")) {
        if (event.at("ph") != "X") continue;
        names.insert(event.at("name").get<std::string>());
        double& end = end_of_row[event.at("tid").get<int>()];
        EXPECT_GE(event.at("ts").get<double>(), end - 0.001);
        end = event.at("ts").get<double>() + event.at("dur").get<double>();
    }
    EXPECT_TRUE(names.contains("host"));
    EXPECT_TRUE(names.contains("left in place"));
    EXPECT_TRUE(names.contains("sampling vCPU 1"));
}

TEST(LabTrace, SaysHowManyEventsFoundNoRoom) {
    const auto text = base::embedded_file("lab/threads.toml");
    const auto scenario = lab::parse_scenario(text.value_or(""), "threads").value();
    lab::Timeline timeline(10);
    (void)lab::simulate(scenario, lab::read_costs(), &timeline);
    EXPECT_EQ(timeline.events().size(), 10u);
    EXPECT_GT(Json::parse(lab_trace(scenario, timeline)).at("otherData").at("dropped_events"), 0);
}

}  // namespace
}  // namespace ringside::report
