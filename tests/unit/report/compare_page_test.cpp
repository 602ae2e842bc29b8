// The page of a comparison, and what `ringside compare` writes into files besides.
#include "report/compare/compare_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../compare/sides.h"
#include "golden.h"
#include "report/compare/compare_figures.h"
#include "report/compare/compare_view.h"

namespace ringside::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CompareView recorded_titled() {
    CompareView view;
    view.sides = {compare::side_of_report("native", "native.txt"),
                  compare::side_of_report("vm", "vm.txt")};
    view.comparison = compare::join(view.sides).value();
    view.summary = {{"vm", "time", "vm takes <longer>", 1.0, true},
                    {"vm", "kernel", "a part of it", -0.5, std::nullopt}};
    view.warnings = {"DIFFERENT RESULTS: a & b", "vm ran once"};
    view.title = "bt.A </script>";
    return view;
}

// From <body> on: style and scripts are files of web/. Without what is drawn, which tests of render
// look at.
std::string body_of(const std::string& page) {
    const auto begin = page.find("<body");
    std::string body = page.substr(begin, page.find("<script", begin) - begin);
    for (auto at = body.find("<svg"); at != std::string::npos; at = body.find("<svg", at))
        body.erase(at, body.find("</svg>", at) + 6 - at);
    return body;
}

TEST(ComparePage, EverySectionThatHasData) {
    const std::string page = compare_page(recorded_titled(), 3, "1.2.3");
    golden::expect("compare_page_body.html", body_of(page));
    EXPECT_THAT(page, HasSubstr("Made by ringside 1.2.3;"));
    EXPECT_THAT(page, HasSubstr("<title>bt.A &lt;/script&gt; - ringside</title>"));
}

TEST(CompareEventFiles, OneForEachEventThatWasSampled) {
    const auto files = compare_event_files(recorded_titled());
    ASSERT_EQ(files.size(), 2u);
    EXPECT_EQ(files[0].event, "dTLB-store-misses");
    EXPECT_EQ(files[1].event, "cpu-clock");
    EXPECT_THAT(files[0].csv, HasSubstr("dTLB-store-misses,,binvcrhs_,bt.A,user,1,500000,0,1,ok"));
    EXPECT_THAT(files[0].csv, Not(HasSubstr("cpu-clock")));
    EXPECT_THAT(files[1].csv, Not(HasSubstr("dTLB")));
}

TEST(CompareFlameGraph, NeedsStacks) {
    EXPECT_THAT(compare_flame_graph(recorded_titled()).error().what, HasSubstr("no stack to draw"));
}

}  // namespace
}  // namespace ringside::report
