#include "cli/measure_options.h"

#include <gmock/gmock.h>

#include "base/process.h"

namespace ringside::cli {
namespace {

TEST(CoRunCommand, RunsItsWordsUntilTheyFail) {
    EXPECT_TRUE(measure::co_run_command("  ")->empty());
    EXPECT_FALSE(measure::co_run_command("/no/such/program 1"));
    const auto output = base::run(measure::co_run_command("test -e /no/such;file").value());
    ASSERT_TRUE(output);
    EXPECT_EQ(output->status.shell_code(), 1);
    EXPECT_EQ(output->stderr_text, "") << "no character is read as shell";
}

TEST(Plan, ItsWordsMakeTheSamePlan) {
    measure::Plan plan;
    plan.events = {"page-faults,context-switches"};
    plan.sampled = {"cpu-clock"};
    plan.runs = 3;
    plan.frequency_hz = 99;
    plan.no_trace = true;
    plan.co_run = "sleep 10";
    measure::Plan again;
    Options options;
    declare_plan(options, again);
    bool help = false;
    ASSERT_TRUE(options.parse(plan.words(), help));
    EXPECT_EQ(again.words(), plan.words());
    EXPECT_EQ(again.runs, 3);
    EXPECT_EQ(again.co_run, "sleep 10");
}

}  // namespace
}  // namespace ringside::cli
