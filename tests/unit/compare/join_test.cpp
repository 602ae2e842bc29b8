#include "compare/join.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "compare/csv_table.h"
#include "compare/judge.h"
#include "compare/perf_text.h"
#include "compare/warnings.h"

namespace ringside::compare {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string fixture(const std::string& name) {
    const std::ifstream file(RINGSIDE_FIXTURES "/compare/" + name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

Side side_of_report(const std::string& name, const std::string& file) {
    auto report = parse_perf_report(fixture(file));
    EXPECT_TRUE(report);
    Side side;
    side.name = name;
    side.runs.push_back(std::move(report->run));
    side.environment = std::move(report->environment);
    return side;
}

const Row* find(const std::vector<Row>& rows, const std::string& event, const std::string& symbol) {
    for (const Row& row : rows) {
        if (row.event == event && row.symbol == symbol) return &row;
    }
    return nullptr;
}

Count count(const std::string& event, double value) {
    Count count;
    count.event = event;
    count.value = value;
    if (event.starts_with("time.")) count.unit = "ns";
    return count;
}

// A side whose runs have these times of wall, user and kernel, in seconds.
Side timed(const std::string& name, const std::vector<std::array<double, 3>>& runs) {
    Side side;
    side.name = name;
    side.kind = SideKind::native;
    for (const auto& [wall, user, kernel] : runs) {
        Run& run = side.runs.emplace_back();
        run.counts = {count("time.wall", wall * 1e9), count("time.lifetime", wall * 1e9),
                      count("time.user", user * 1e9), count("time.kernel", kernel * 1e9)};
    }
    return side;
}

TEST(Names, VariantsJoinUnderOneName) {
    const NameRules& rules = NameRules::built_in();
    EXPECT_EQ(rules.symbol("libc.so.6", "__memcpy_avx_unaligned_erms"), "memcpy");
    EXPECT_EQ(rules.symbol("libc.so.6", "__memmove_evex_unaligned_erms"), "memcpy");
    EXPECT_EQ(rules.symbol("libc.so.6", "__memmove_ssse3"), "memcpy");
    EXPECT_EQ(rules.symbol("libc.so.6", "__strspn_sse42"), "__strspn_sse42");
    EXPECT_EQ(rules.symbol("libc.so.6", "__strchr_sse4_2"), "strchr");
    EXPECT_EQ(rules.symbol("libc.so.6", "__memset_avx2_unaligned_rtm"), "memset");
    EXPECT_EQ(rules.symbol("libm.so.6", "__sin_fma"), "sin");
    EXPECT_EQ(rules.symbol("[kernel]", "clear_page_erms"), "clear_page");
    EXPECT_EQ(rules.symbol("libopenblas.so.0", "dgemm_kernel_SKYLAKEX"), "dgemm_kernel");
}

TEST(Names, OthersAreLeftAlone) {
    const NameRules& rules = NameRules::built_in();
    EXPECT_EQ(rules.symbol("a.out", "__memcpy_avx_unaligned_erms"), "__memcpy_avx_unaligned_erms");
    EXPECT_EQ(rules.symbol("libc.so.6", "step_2"), "step_2");
    EXPECT_EQ(rules.symbol("libc.so.6", "_int_malloc"), "_int_malloc");
    EXPECT_EQ(rules.symbol("libc.so.6", "_avx2"), "_avx2");
    EXPECT_EQ(rules.symbol("libc.so.6", ""), "");
}

TEST(Names, ModulesAndEvents) {
    const NameRules& rules = NameRules::built_in();
    EXPECT_EQ(rules.module("/lib/x86_64-linux-gnu/libc-2.31.so"), "libc.so.6");
    EXPECT_EQ(rules.module("[guest.kernel.kallsyms.4711]"), "[kernel]");
    EXPECT_EQ(rules.module("//anon"), "//anon");
    EXPECT_EQ(joined_event("cpu-clock:pppH"), "cpu-clock");
    EXPECT_EQ(joined_event("cycles:upp"), "cycles:u");
    EXPECT_EQ(joined_event("sched:sched_switch"), "sched:sched_switch");
    EXPECT_EQ(joined_event("cycles:"), "cycles:");
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
    Count dead = count("cycles", 0);
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
    Count none = count("soft:loads", 0);
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

TEST(Judge, SaysWhereTheTimeWentAndHowSure) {
    const std::vector<Side> sides{
        timed("native", {{1.00, 0.90, 0.10}, {1.02, 0.91, 0.11}, {0.99, 0.89, 0.10}}),
        timed("vm", {{2.00, 1.00, 1.00}, {2.03, 1.01, 1.02}, {1.98, 0.99, 0.99}})};
    const auto joined = join(sides);
    ASSERT_TRUE(joined);
    const auto findings = judge(sides, *joined);
    ASSERT_GE(findings.size(), 3u);
    EXPECT_EQ(findings[0].cause, "time");
    EXPECT_EQ(findings[0].sure, true);
    EXPECT_THAT(findings[0].text, HasSubstr("vm takes 2 times as long as native"));
    EXPECT_EQ(findings[1].cause, "kernel");
    EXPECT_NEAR(*findings[1].share, 0.9, 0.01);
    EXPECT_THAT(findings[1].text, HasSubstr("90 % of the difference is work of the kernel"));
    EXPECT_EQ(findings[2].cause, "compute");
    EXPECT_NEAR(*findings[2].share, 0.1, 0.01);
}

TEST(Judge, ChanceIsCalledChance) {
    const std::vector<Side> sides{
        timed("native", {{1.0, 0.9, 0.1}, {1.2, 1.1, 0.1}, {0.9, 0.8, 0.1}}),
        timed("vm", {{1.1, 1.0, 0.1}, {0.9, 0.8, 0.1}, {1.2, 1.1, 0.1}})};
    const auto joined = join(sides);
    ASSERT_TRUE(joined);
    const auto findings = judge(sides, *joined);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_THAT(findings[0].text,
                HasSubstr("no difference in time between vm and native can be told from chance"));
    EXPECT_EQ(findings[0].sure, false);
}

TEST(Judge, OfOneRunNobodyCanSay) {
    const std::vector<Side> sides{timed("a", {{1, 1, 0}}), timed("b", {{2, 2, 0}})};
    const auto findings = judge(sides, *join(sides));
    ASSERT_FALSE(findings.empty());
    EXPECT_FALSE(findings[0].sure);
    EXPECT_THAT(findings[0].text, HasSubstr("cannot be said"));
}

TEST(Judge, SaysWhetherTheWorkIsTheSame) {
    std::vector<Side> sides{timed("a", {{1, 1, 0}, {1, 1, 0}}), timed("b", {{2, 2, 0}, {2, 2, 0}})};
    sides[0].runs[0].counts.push_back(count("soft:instructions", 1000000));
    sides[1].runs[0].counts.push_back(count("soft:instructions", 1000002));
    const auto texts = [&] {
        std::string all;
        for (const auto& finding : judge(sides, *join(sides))) all += finding.text + "\n";
        return all;
    };
    EXPECT_THAT(texts(), HasSubstr("b and a execute the same number of instructions "
                                   "(soft:instructions; 2 more of 1e+06)"));
    sides[1].runs[0].counts.back().value = 3000000;
    EXPECT_THAT(texts(), Not(HasSubstr("the same number")));
    EXPECT_THAT(texts(), HasSubstr("3 times the instructions (soft) (3e+06 against 1e+06; counted "
                                   "once)"));
}

TEST(Warnings, DifferentResultsComeFirst) {
    Side a = timed("native", {{1, 1, 0}, {1, 1, 0}});
    Side b = a;
    b.name = "vm";
    b.kind = SideKind::tcg;
    for (auto& run : a.runs) {
        run.exit_code = 0;
        run.output_digest = "x";
    }
    for (auto& run : b.runs) {
        run.exit_code = 132;
        run.output_digest = "y";
    }
    const auto warnings = find_warnings({a, b});
    ASSERT_GE(warnings.size(), 4u);
    EXPECT_THAT(warnings[0], HasSubstr("vm WAS KILLED BY SIGILL"));
    EXPECT_THAT(warnings[1],
                HasSubstr("DIFFERENT RESULTS: native ended with 0, vm ended with 132"));
    EXPECT_THAT(warnings[2], HasSubstr("printed something else"));
    EXPECT_THAT(warnings[3], HasSubstr("emulated (TCG)"));
}

TEST(Warnings, WhatSpoilsAComparison) {
    Side a = side_of_report("native", "native.txt");
    Side b = side_of_report("vm", "vm.txt");
    b.environment = a.environment;
    b.environment.kernel = "5.10.0";
    b.environment.memory_bytes = 1e9;
    b.build_ids["libc.so.6"] = "aa";
    a.build_ids["libc.so.6"] = "bb";
    Count scaled = count("cycles", 5);
    scaled.running_ratio = 0.5;
    b.runs[0].counts = {scaled, count("time.lifetime", 100), count("time.stolen", 5)};
    const auto warnings = find_warnings({a, b});
    EXPECT_THAT(warnings, Contains(HasSubstr("17 samples were lost")));
    EXPECT_THAT(warnings, Contains(HasSubstr("differ in kernel")));
    EXPECT_THAT(warnings, Contains(HasSubstr("differ in memory: 32.8 GB and 1.0 GB")));
    EXPECT_THAT(warnings, Contains(HasSubstr("other builds of libc.so.6")));
    EXPECT_THAT(warnings, Contains(HasSubstr("vm: 5.0 % of the time was stolen")));
    EXPECT_THAT(warnings, Contains(HasSubstr("scaled: cycles")));
    EXPECT_THAT(warnings, Contains(HasSubstr("ran once")));
    EXPECT_THAT(warnings, Not(Contains(HasSubstr("processor"))));
}

TEST(Warnings, SamplesThatCameLate) {
    Side side = timed("vm", {{1, 1, 0}, {1, 1, 0}});
    for (auto& run : side.runs) {
        run.counts.push_back(count("task-clock", 1e9));
        run.sampled = {{"cpu-clock", "ns", 200, 0}};
        run.hits = {{"cpu-clock", "a.out", "main", false, true, 0.4e9, 200}};
    }
    EXPECT_THAT(find_warnings({side}), Contains(HasSubstr("samples stand for 40 % of its CPU")));
    for (auto& run : side.runs) run.hits[0].value = 0.95e9;
    EXPECT_THAT(find_warnings({side}), IsEmpty());
}

TEST(Warnings, NoneWhereAllIsWell) {
    EXPECT_THAT(
        find_warnings({timed("a", {{1, 1, 0}, {1, 1, 0}}), timed("b", {{1, 1, 0}, {1, 1, 0}})}),
        IsEmpty());
}

}  // namespace
}  // namespace ringside::compare
