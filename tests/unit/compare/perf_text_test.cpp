#include "compare/perf_text.h"

#include <gmock/gmock.h>

#include "sides.h"

namespace ringside::compare {
namespace {

using run::Hit;

PerfReport parsed(const std::string& text) {
    auto report = parse_perf_report(text);
    EXPECT_TRUE(report) << report.error().what;
    return report ? std::move(*report) : PerfReport{};
}

TEST(PerfText, ReadsEventsFunctionsAndModes) {
    const auto report = parsed(fixture("native.txt"));
    ASSERT_EQ(report.run.sampled.size(), 2u);
    EXPECT_EQ(report.run.sampled[0].event, "dTLB-store-misses");
    EXPECT_EQ(report.run.sampled[0].samples, 8000);
    EXPECT_EQ(report.run.sampled[0].unit, "");
    EXPECT_EQ(report.run.sampled[1].unit, "ns");
    ASSERT_EQ(report.run.hits.size(), 8u);
    const Hit& first = report.run.hits[0];
    EXPECT_EQ(first.symbol, "binvcrhs_");
    EXPECT_EQ(first.module, "bt.A");
    EXPECT_DOUBLE_EQ(first.value, 500000);
    EXPECT_DOUBLE_EQ(first.samples, 4000);
    EXPECT_FALSE(first.in_kernel);
    EXPECT_TRUE(report.run.hits[2].in_kernel);
    EXPECT_DOUBLE_EQ(report.run.hits[6].value, 1.8e9);
}

TEST(PerfText, NamesMayHoldBlanksAndAddressesAreUnresolved) {
    const auto report = parsed(fixture("native.txt"));
    EXPECT_EQ(report.run.hits[3].symbol, "compute rhs");
    EXPECT_EQ(report.run.hits[3].module, "bt.A");
    EXPECT_FALSE(report.run.hits[4].resolved);
    EXPECT_TRUE(report.run.hits[5].resolved);
}

TEST(PerfText, TakesTheMachineFromTheHeader) {
    const auto environment = parsed(fixture("native.txt")).environment;
    EXPECT_EQ(environment.kernel, "6.1.0-18-amd64");
    EXPECT_EQ(environment.cpu, "AMD EPYC 7302P 16-Core Processor");
    EXPECT_EQ(environment.cpus, 8);
    EXPECT_EQ(environment.memory_bytes, 32000000.0 * 1024);
}

TEST(PerfText, GuestsAndLostSamples) {
    const auto report = parsed(fixture("vm.txt"));
    EXPECT_EQ(report.run.sampled[0].lost, 17);
    EXPECT_EQ(report.run.sampled[1].lost, 0);
    EXPECT_TRUE(report.run.hits[2].in_kernel);
    EXPECT_EQ(report.run.hits[2].module, "[guest.kernel.kallsyms]");
    EXPECT_EQ(report.run.hits[0].samples, 0);
    EXPECT_DOUBLE_EQ(report.run.hits[0].value, 1200000);
}

TEST(PerfText, OwnSharesCountAndCallGraphsAreSkipped) {
    const auto report = parsed(fixture("children.txt"));
    ASSERT_EQ(report.run.hits.size(), 2u);
    EXPECT_DOUBLE_EQ(report.run.hits[0].value, 20);
    EXPECT_DOUBLE_EQ(report.run.hits[1].value, 180);
}

TEST(PerfText, AnEmptyCellDoesNotShiftTheOthers) {
    const auto report = parsed(
        "# Samples: 2  of event 'cycles'\n"
        "# Overhead  Command  Shared Object  Symbol\n"
        "# ........  .......  .............  ......\n"
        "   100.00%           a.out          [.] f\n");
    ASSERT_EQ(report.run.hits.size(), 1u);
    EXPECT_EQ(report.run.hits[0].module, "a.out");
    EXPECT_EQ(report.run.hits[0].symbol, "f");
    // Nothing says how many events there were: a share remains.
    EXPECT_EQ(report.run.sampled[0].unit, "%");
    EXPECT_DOUBLE_EQ(report.run.hits[0].value, 100);
}

TEST(PerfText, LongNamesAndUtf8) {
    const std::string name(10000, 'x');
    const auto report = parsed(
        "# Samples: 2  of event 'cycles'\n# Overhead  Shared Object  Symbol\n"
        "# ........  .............  ......\n   60.00%  a.out  [.] " +
        name +
        "\n   40.00%  gr\xc3\xb6\xc3\x9f"
        "e  [.] \xc3\xa4\n");
    ASSERT_EQ(report.run.hits.size(), 2u);
    EXPECT_EQ(report.run.hits[0].symbol, name);
    EXPECT_EQ(report.run.hits[1].module,
              "gr\xc3\xb6\xc3\x9f"
              "e");
}

TEST(PerfText, WhatIsNoReportIsRefused) {
    for (const std::string text : {"", "\n", "# nothing\n", "root:x:0:0\n", "# Samples: 2  of",
                                   "\n# ........  ......\n", "# ........  ......\n"}) {
        EXPECT_FALSE(parse_perf_report(text)) << text;
    }
    EXPECT_TRUE(looks_like_perf_report(fixture("vm.txt")));
    EXPECT_FALSE(looks_like_perf_report(fixture("table.csv")));
}

}  // namespace
}  // namespace ringside::compare
