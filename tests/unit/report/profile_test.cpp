#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../../data_builder.h"
#include "../../scratch.h"
#include "base/csv.h"
#include "golden.h"
#include "report/profile/profile_view.h"

namespace ringside::report {
namespace {

using builders::DataBuilder;
using profile::Column;
using ::testing::HasSubstr;

class ReportOutput : public ::testing::Test {
  protected:
    ReportOutput() {
        DataBuilder builder(base::ByteOrder::same, true);
        const auto user = static_cast<std::uint64_t>(PERF_CONTEXT_USER);
        builder.comm(7, 7, 1, "app");
        builder.sample(7, 10, 0x20, 30, PERF_RECORD_MISC_USER, {user, 0x20, 0x10});
        builder.sample(7, 11, 0x10, 60, PERF_RECORD_MISC_USER, {user, 0x10});
        builder.sample(7, 12, 0xffff, 10, PERF_RECORD_MISC_GUEST_KERNEL);
        builder.lost(4, 13);
        profile::LoadOptions options;
        options.keep.stack = true;
        auto loaded = profile::load(
            DataBuilder::write(scratch::file("ringside_report.data"), builder.file()), options);
        profile = std::move(*loaded);
        profile.events[0].name = "cpu-clock";
        naming.functions = {
            {"main", "app", perf::CpuMode::user, true},
            {"f", "lib,so", perf::CpuMode::user, true},
            {"0x000000000000ffff", "[unknown]", perf::CpuMode::guest_kernel, false}};
        for (profile::LocationId id = 0; id < profile.locations.size(); ++id) {
            const auto address = profile.locations[id].address;
            naming.of_location.push_back(address == 0x10 ? 0 : address == 0x20 ? 1 : 2);
        }
    }

    std::vector<profile::EventRows> rows(bool children = false) const {
        return make_rows(profile, naming, columns, children);
    }

    profile::Profile profile;
    profile::Naming naming;
    std::vector<Column> columns{Column::comm, Column::module, Column::symbol};
};

TEST_F(ReportOutput, Whole) {
    profile.steal = {{0, 0, 0}, {1'000'000'000, 0, 250'000'000}};
    profile.warnings = {"a warning"};
    naming.warnings = {"no symbols of \033lib"};
    const ProfileView view{profile, naming, columns};
    golden::expect("profile.txt", profile_text(view, rows()));
    golden::expect("profile.csv", profile_csv(view, rows()));
    golden::expect("profile.json", profile_json(view, rows()));
    const ProfileView tree{profile, naming, columns, true, CallGraph::caller};
    golden::expect("profile_tree.txt", profile_text(tree, rows(true)));
    golden::expect("profile_tree.csv", profile_csv(tree, rows(true)));
    golden::expect("profile_tree.json", profile_json(tree, rows(true)));
}

TEST_F(ReportOutput, JsonHasTheSchemasKeys) {
    const ProfileView view{profile, naming, columns};
    const auto json = nlohmann::json::parse(profile_json(view, rows()));
    EXPECT_EQ(json["schema"], "ringside.report/1");
    const auto& event = json["events"][0];
    EXPECT_EQ(event["name"], "cpu-clock");
    EXPECT_EQ(event["samples"], 3);
    EXPECT_EQ(event["lost"], 4);
    ASSERT_EQ(event["rows"].size(), 3u);
    const auto& hottest = event["rows"][0];
    EXPECT_EQ(hottest["symbol"], "main");
    EXPECT_EQ(hottest["dso"], "app");
    EXPECT_EQ(hottest["comm"], "app");
    EXPECT_EQ(hottest["mode"], "user");
    EXPECT_EQ(hottest["samples"], 1);
    EXPECT_DOUBLE_EQ(hottest["self_pct"], 60.0);
    // A guest's samples are there, and what has no name says so.
    EXPECT_EQ(event["rows"][2]["mode"], "guest_kernel");
    EXPECT_EQ(event["rows"][2]["resolved"], false);
}

TEST_F(ReportOutput, WhatIsNotKeptApartIsNull) {
    columns = {Column::comm};
    const ProfileView view{profile, naming, columns};
    const auto json = nlohmann::json::parse(profile_json(view, rows()));
    ASSERT_EQ(json["events"][0]["rows"].size(), 1u);
    EXPECT_TRUE(json["events"][0]["rows"][0]["mode"].is_null());
    EXPECT_TRUE(json["events"][0]["rows"][0]["symbol"].is_null());
    EXPECT_DOUBLE_EQ(json["events"][0]["rows"][0]["self_pct"], 100.0);
}

TEST_F(ReportOutput, CsvCanBeReadBack) {
    const ProfileView view{profile, naming, columns};
    const auto table = base::parse_csv(profile_csv(view, rows()));
    ASSERT_EQ(table.size(), 4u);
    EXPECT_EQ(table[0], (std::vector<std::string>{"event", "comm", "dso", "symbol", "mode",
                                                  "samples", "period", "self_pct"}));
    EXPECT_EQ(table[2], (std::vector<std::string>{"cpu-clock", "app", "lib,so", "f", "user", "1",
                                                  "30", "30.000000"}));
}

TEST_F(ReportOutput, TextShowsMarksAndLostSamples) {
    const ProfileView view{profile, naming, columns, true};
    const auto text = profile_text(view, rows(true));
    EXPECT_THAT(text, HasSubstr("# cpu-clock: 3 samples, event count 100, 4 samples lost"));
    EXPECT_THAT(text, HasSubstr("   90.00%   60.00%  app   app        [.] main"));
    EXPECT_THAT(text, HasSubstr("[g] 0x000000000000ffff"));
}

TEST_F(ReportOutput, CallGraphsFromBothEnds) {
    ProfileView view{profile, naming, columns, false, CallGraph::caller};
    EXPECT_THAT(profile_text(view, rows()), HasSubstr("  100.00%    0.00%  app\n"
                                                      "   90.00%   60.00%   main  (app)\n"
                                                      "   30.00%   30.00%    f  (lib,so)\n"));
    view.call_graph = CallGraph::callee;
    EXPECT_THAT(profile_text(view, rows()), HasSubstr("   30.00%   30.00%  f  (lib,so)\n"
                                                      "   30.00%    0.00%   main  (app)\n"
                                                      "   30.00%    0.00%    app\n"));
    const auto json = nlohmann::json::parse(profile_json(view, rows()));
    EXPECT_EQ(json["events"][0]["call_graph"][0]["name"], "main");
    EXPECT_DOUBLE_EQ(json["events"][0]["call_graph"][0]["self_pct"], 60.0);
    view.least_graph_percent = 50;
    EXPECT_THAT(profile_text(view, rows()), ::testing::Not(HasSubstr("lib,so")));
}

}  // namespace
}  // namespace ringside::report
