#include "compare/warnings.h"

#include <gmock/gmock.h>

#include "sides.h"

namespace ringside::compare {
namespace {

using run::Measurement;
using run::Side;
using run::SideKind;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
    Measurement scaled = count("cycles", 5);
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
