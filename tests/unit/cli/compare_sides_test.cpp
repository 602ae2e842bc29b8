#include "cli/compare_sides.h"

#include <gmock/gmock.h>

#include "base/process.h"

namespace ringside::cli {
namespace {

TEST(QuotedForShell, AShellReadsTheSameWords) {
    const std::vector<std::string> words{"printf", "%s|",  "it's", "$HOME", "a  b", "\"",
                                         "\\",     "`id`", "",     "*",     "\n;"};
    const auto output = base::run({"sh", "-c", quoted_for_shell(words)});
    ASSERT_TRUE(output);
    EXPECT_EQ(output->stdout_text, "it's|$HOME|a  b|\"|\\|`id`||*|\n;|");
}

TEST(SideTarget, PlacesToMeasure) {
    using Where = SideTarget::Where;
    EXPECT_EQ(SideTarget::parse("a", "native")->where, Where::native);
    EXPECT_EQ(SideTarget::parse("a", "guest")->where, Where::guest);
    const auto ssh = SideTarget::parse("a", "ssh:me@host");
    ASSERT_TRUE(ssh);
    EXPECT_EQ(ssh->place, "me@host");
    const auto box = SideTarget::parse("a", "box:arm64-kvm/inner");
    ASSERT_TRUE(box);
    EXPECT_EQ(box->place, "arm64-kvm");
    EXPECT_TRUE(box->inner);
    for (const char* bad : {"", "ssh:", "ssh:-oProxyCommand=x", "box:moon", "box:", "Native"}) {
        EXPECT_FALSE(SideTarget::parse("a", bad)) << bad;
    }
}

TEST(CoRunCommand, RunsItsWordsUntilTheyFail) {
    EXPECT_TRUE(co_run_command("  ")->empty());
    EXPECT_FALSE(co_run_command("/no/such/program 1"));
    const auto output = base::run(co_run_command("test -e /no/such;file").value());
    ASSERT_TRUE(output);
    EXPECT_EQ(output->status.shell_code(), 1);
    EXPECT_EQ(output->stderr_text, "") << "no character is read as shell";
}

TEST(MeasurePlan, ItsWordsMakeTheSamePlan) {
    MeasurePlan plan;
    plan.events = {"page-faults,context-switches"};
    plan.sampled = {"cpu-clock"};
    plan.runs = 3;
    plan.frequency_hz = 99;
    plan.no_trace = true;
    plan.co_run = "sleep 10";
    MeasurePlan again;
    Options options;
    again.declare(options);
    bool help = false;
    ASSERT_TRUE(options.parse(plan.words(), help));
    EXPECT_EQ(again.words(), plan.words());
    EXPECT_EQ(again.runs, 3);
    EXPECT_EQ(again.co_run, "sleep 10");
}

}  // namespace
}  // namespace ringside::cli
