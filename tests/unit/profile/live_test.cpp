#include "profile/live.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include "profile/annotate.h"
#include "profile/rows.h"

namespace ringside::profile {
namespace {

extern "C" __attribute__((noinline)) std::uint64_t ringside_live_landmark(std::uint64_t rounds) {
    std::uint64_t value = 1;
    for (std::uint64_t i = 0; i < rounds; ++i) {
        value = value * 6364136223846793005u + i;
        asm volatile("" : "+r"(value));
    }
    return value;
}

TEST(LiveProfile, FindsTheBusyFunctionOfThisTest) {
    LiveOptions options;
    options.event.name = "cpu-clock:u";
    options.event.code = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, 0};
    options.event.exclude.kernel = options.event.exclude.hypervisor = true;
    options.period = 1'000'000;
    LiveProfile live(options);
    if (auto done = live.add({{0, -1, -1}}); !done) GTEST_SKIP() << done.error().what;
    const SymbolSources sources;
    Symbolizer symbolizer(live.profile(), sources);
    const auto busiest = [&]() -> std::string {
        for (int i = 0; i < 1000 && live.profile().events[0].samples < 20; ++i) {
            ringside_live_landmark(2'000'000);
            live.collect();
        }
        const auto& naming = symbolizer.update();
        const auto rows = make_rows(live.profile(), naming, {Column::symbol});
        return rows[0].rows.empty() ? "" : naming.functions[rows[0].rows[0].function].name;
    };
    EXPECT_EQ(busiest(), "ringside_live_landmark");
    live.collect();  // the samples of naming itself
    live.begin_interval();
    EXPECT_EQ(live.profile().events[0].samples, 0u);
    EXPECT_TRUE(live.profile().groups.empty());
    EXPECT_EQ(busiest(), "ringside_live_landmark");
}

TEST(Annotate, ReadsWhatObjdumpWrites) {
    const auto lines = parse_disassembly(
        "\nx:     file format elf64-x86-64\n\nDisassembly of section .text:\n\n"
        "0000000000001130 <main>:\n"
        "    1130:\tpush   %rbp\n"
        "    1131:\tjne    1130 <main>\n");
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].address, 0x1130u);
    EXPECT_EQ(lines[0].instruction, "push   %rbp");
    EXPECT_EQ(lines[1].instruction, "jne    1130 <main>");
}

// What was recorded live of this very program, taken apart.
TEST(Annotate, HotInstructionsAddUp) {
    LiveOptions options;
    options.event.name = "cpu-clock:u";
    options.event.code = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, 0};
    options.event.exclude.kernel = options.event.exclude.hypervisor = true;
    options.period = 1'000'000;
    LiveProfile live(options);
    if (auto done = live.add({{0, -1, -1}}); !done) GTEST_SKIP() << done.error().what;
    for (int i = 0; i < 1000 && live.profile().events[0].samples < 20; ++i) {
        ringside_live_landmark(2'000'000);
        live.collect();
    }
    const auto naming = symbolize(live.profile());
    const auto result =
        annotate(live.profile(), naming, symbols::Finder(), {"ringside_live_landmark", "", 0});
    if (!result && result.error().code == ErrorCode::not_found &&
        result.error().what.find("objdump") != std::string::npos)
        GTEST_SKIP() << "objdump is not here";
    ASSERT_TRUE(result) << result.error().what;
    EXPECT_GT(result->samples, 0u);
    std::uint64_t samples = 0;
    for (const auto& line : result->lines) samples += line.samples;
    EXPECT_EQ(samples, result->samples);
    EXPECT_FALSE(annotate(live.profile(), naming, symbols::Finder(), {"no_such_function", "", 0}));
}

}  // namespace
}  // namespace ringside::profile
