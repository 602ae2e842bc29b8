#include "compare/join.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "compare/csv_table.h"
#include "compare/judge.h"
#include "sides.h"

namespace ringside::compare {
namespace {

using run::Hit;
using run::Measurement;
using run::Per;
using run::Side;
using testing::HasSubstr;

const Row* find(const std::vector<Row>& rows, const std::string& event, const std::string& symbol) {
    for (const Row& row : rows) {
        if (row.event == event && row.symbol == symbol) return &row;
    }
    return nullptr;
}

TEST(Join, ReportsOfTwoMachinesByEventThenByFunction) {
    const auto joined =
        join({side_of_report("native", "native.txt"), side_of_report("vm", "vm.txt")});
    ASSERT_TRUE(joined);
    const Row* memcpy = find(joined->functions, "dTLB-store-misses", "memcpy");
    ASSERT_NE(memcpy, nullptr);
    EXPECT_EQ(memcpy->module, "libc.so.6");
    EXPECT_DOUBLE_EQ(*memcpy->cells[0].mean(), 250000);
    EXPECT_DOUBLE_EQ(*memcpy->cells[1].mean(), 1200000);
    EXPECT_DOUBLE_EQ(*memcpy->ratios[1].ratio, 4.8);
    EXPECT_EQ(memcpy->cells[0].name, "__memcpy_avx_unaligned_erms");
    EXPECT_EQ(memcpy->cells[1].name, "__memmove_sse2_unaligned_erms");
    const Row* clear = find(joined->functions, "dTLB-store-misses", "clear_page");
    ASSERT_NE(clear, nullptr);
    EXPECT_TRUE(clear->in_kernel);
    EXPECT_EQ(joined->functions.front().event, "dTLB-store-misses");
    const Row* clock = find(joined->functions, "cpu-clock", "binvcrhs_");
    ASSERT_NE(clock, nullptr);
    EXPECT_NEAR(*clock->ratios[1].ratio, 3.8 / 1.8, 1e-9);
    EXPECT_EQ(clock->unit, "ns");
}

TEST(Join, FunctionsOnOneSideAreKeptAndUnresolvedOnesStandApart) {
    const auto joined =
        join({side_of_report("native", "native.txt"), side_of_report("vm", "vm.txt")});
    ASSERT_TRUE(joined);
    const Row* only = find(joined->functions, "dTLB-store-misses", "only_here");
    ASSERT_NE(only, nullptr);
    EXPECT_DOUBLE_EQ(*only->cells[1].mean(), 0);
    ASSERT_EQ(joined->unresolved.size(), 1u);
    EXPECT_EQ(joined->unresolved[0].module, "bt.A");
    EXPECT_DOUBLE_EQ(*joined->unresolved[0].cells[0].mean(), 30000);
}

TEST(Join, WhatWasNotSampledIsUnknownAndNotZero) {
    Side none = timed("b", {{1, 1, 0}});
    const auto joined = join({side_of_report("native", "native.txt"), none});
    ASSERT_TRUE(joined);
    const Row& row = joined->functions.front();
    EXPECT_EQ(row.cells[1].state, CounterState::absent);
    EXPECT_FALSE(row.cells[1].mean());
    EXPECT_FALSE(row.ratios[1].ratio);
}

TEST(Join, AFunctionMissingInOneRunIsAZeroThere) {
    auto runs = parse_csv_table(fixture("table.csv"));
    ASSERT_TRUE(runs) << runs.error().what;
    ASSERT_EQ(runs->size(), 2u);
    Side side;
    side.name = "a";
    side.runs = *runs;
    const auto joined = join({side});
    ASSERT_TRUE(joined);
    const Row* page = find(joined->functions, "cycles", "copy, page");
    ASSERT_NE(page, nullptr);
    EXPECT_THAT(page->cells[0].values, testing::ElementsAre(500, 0));
    EXPECT_DOUBLE_EQ(page->grain, 100);
    ASSERT_EQ(joined->events.size(), 1u);
    EXPECT_DOUBLE_EQ(*joined->events[0].cells[0].mean(), 77.5);
}

TEST(Join, CountsKeepTheirState) {
    Side a = timed("a", {{1, 1, 0}, {1, 1, 0}});
    Side b = a;
    a.runs[0].counts.push_back(count("cycles", 5));
    a.runs[1].counts.push_back(count("cycles", 6));
    Measurement dead = count("cycles", 0);
    dead.state = CounterState::dead;
    dead.reason = "never counts";
    b.runs[0].counts.push_back(dead);
    b.runs[1].counts.push_back(count("cycles", 6));
    const auto joined = join({a, b});
    ASSERT_TRUE(joined);
    const Row* row = find(joined->events, "cycles", "");
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->cells[1].state, CounterState::dead);
    EXPECT_THAT(row->cells[1].reason, HasSubstr("in 1 of 2 runs: never counts"));
    EXPECT_FALSE(row->cells[1].mean());
    EXPECT_FALSE(row->ratios[1].ratio);
}

TEST(Join, SoftCountsFollowTheFirstRunAlone) {
    Side a = timed("a", {{1, 1, 0}, {1, 1, 0}});
    Side b = a;
    Side c = a;
    a.runs[0].counts.push_back(count("soft:loads", 50));
    b.runs[0].counts.push_back(count("soft:loads", 75));
    Measurement none = count("soft:loads", 0);
    none.state = CounterState::absent;
    none.reason = "no QEMU";
    c.runs[0].counts.push_back(none);
    const auto joined = join({a, b, c});
    ASSERT_TRUE(joined);
    const Row* row = find(joined->events, "soft:loads", "");
    ASSERT_NE(row, nullptr);
    EXPECT_THAT(row->cells[0].values, testing::ElementsAre(50));
    EXPECT_DOUBLE_EQ(row->ratios[1].ratio.value_or(0), 1.5);
    EXPECT_FALSE(row->ratios[1].significant);
    EXPECT_EQ(row->cells[2].state, CounterState::absent);
    EXPECT_EQ(row->cells[2].reason, "no QEMU");
}

TEST(Join, SoftSamplesFollowTheFirstRunAlone) {
    Side a = timed("a", {{1, 1, 0}, {1, 1, 0}});
    a.runs[0].sampled = {{"soft:loads", "", 3, 0}};
    Hit hit;
    hit.event = "soft:loads";
    hit.module = "m";
    hit.symbol = "f";
    hit.value = 300;
    hit.samples = 3;
    a.runs[0].hits = {hit};
    const auto joined = join({a});
    ASSERT_TRUE(joined);
    for (const auto& finding : judge({a, a}, *join({a, a}))) {
        EXPECT_NE(finding.cause, "mode") << "the kernel was not counted: " << finding.text;
    }
    const Row* row = find(joined->functions, "soft:loads", "f");
    ASSERT_NE(row, nullptr);
    EXPECT_THAT(row->cells[0].values, testing::ElementsAre(300));
    EXPECT_DOUBLE_EQ(joined->wholes.at("soft:loads")[0], 300);
}

TEST(Join, Normalised) {
    Side a = timed("a", {{2, 2, 0}});
    a.runs[0].counts.push_back(count("page-faults", 10));
    const auto second = join({a}, Per::second);
    ASSERT_TRUE(second);
    EXPECT_DOUBLE_EQ(*find(second->events, "page-faults", "")->cells[0].mean(), 5);
    EXPECT_FALSE(join({a}, Per::instruction));
    a.runs[0].counts.push_back(count("instructions", 40));
    const auto instruction = join({a}, Per::instruction);
    ASSERT_TRUE(instruction);
    EXPECT_DOUBLE_EQ(*find(instruction->events, "page-faults", "")->cells[0].mean(), 0.25);
    const auto share = join({side_of_report("n", "native.txt")}, Per::share);
    ASSERT_TRUE(share);
    EXPECT_NEAR(*find(share->functions, "dTLB-store-misses", "binvcrhs_")->cells[0].mean(), 50,
                1e-9);
}

// A thousand functions of a sample each must not hide the one that changed.
TEST(Join, RowsOfNoWeightAreNotTested) {
    const auto make = [](const std::string& name, double heavy) {
        Side side;
        side.name = name;
        for (int run = 0; run < 3; ++run) {
            auto& made = side.runs.emplace_back();
            made.sampled = {{"cycles", "", 0, 0}};
            made.hits.push_back({"cycles", "a.out", "hot", false, true, heavy + run * 100, heavy});
            for (int i = 0; i < 1000; ++i) {
                made.hits.push_back({"cycles", "a.out", "f" + std::to_string(i), false, true,
                                     (i + run) % 3 * 1.0, 1});
            }
        }
        return side;
    };
    const auto joined = join({make("a", 10000), make("b", 11000)});
    ASSERT_TRUE(joined);
    const Row* hot = find(joined->functions, "cycles", "hot");
    ASSERT_NE(hot, nullptr);
    EXPECT_EQ(hot->ratios[1].significant, true);
    const Row* light = find(joined->functions, "cycles", "f1");
    ASSERT_NE(light, nullptr);
    EXPECT_TRUE(light->ratios[1].ratio);
    EXPECT_FALSE(light->ratios[1].significant);
}

TEST(Join, MoreFunctionsThanCanBeShownAreRefused) {
    std::string table = "event,symbol,dso,value\n";
    for (std::size_t i = 0; i < most_rows; ++i) table += fmt::format("c,f{},a,1\n", i);
    Side side;
    side.name = "a";
    side.runs = *parse_csv_table(table);
    const auto most = join({side});
    ASSERT_TRUE(most);
    EXPECT_EQ(most->functions.size(), most_rows);
    side.runs = *parse_csv_table(table + "c,one_more,a,1\n");
    const auto more = join({side});
    ASSERT_FALSE(more);
    EXPECT_THAT(more.error().what, HasSubstr("65537 functions, and 65536 are the most"));
}

TEST(Join, NothingToCompare) {
    EXPECT_FALSE(join({}));
    EXPECT_FALSE(join({Side{}}));
}

TEST(CsvTable, SaysWhatIsWrong) {
    const auto no_header = parse_csv_table("root,x,0\n");
    ASSERT_FALSE(no_header);
    EXPECT_THAT(no_header.error().hint, HasSubstr("event, symbol, dso, value, run"));
    const auto bad = parse_csv_table("event,value\ncycles,12\ncycles,many\n");
    ASSERT_FALSE(bad);
    EXPECT_THAT(bad.error().what, HasSubstr("row 2: no number: \"many\""));
    EXPECT_FALSE(parse_csv_table("event,value\n"));
}

TEST(CsvTable, ReadsWhatStatWrites) {
    const auto runs = parse_csv_table(
        "at_s,kind,place,name,filter,value,unit,state,reason,running_ratio,scale_error,runs,"
        "deviation,confidence_95,least,most,soft\n"
        ",event,,page-faults,,187,,ok,,1.000000,0,1,,,,,0\n"
        ",event,,cycles,,,,absent,no such counter,1.000000,0,1,,,,,0\n"
        ",time,,wall,,634591000,ns,,,,,,,,,,\n"
        ",time,,blocked,,,ns,,,,,,,,,,\n");
    ASSERT_TRUE(runs) << runs.error().what;
    const auto& run = runs->front();
    EXPECT_EQ(run.find("page-faults")->value, 187);
    EXPECT_EQ(run.find("cycles")->state, CounterState::absent);
    EXPECT_EQ(run.find("time.wall")->value, 634591000);
    EXPECT_EQ(run.find("time.blocked"), nullptr);
}

}  // namespace
}  // namespace ringside::compare
