// The verbs that run a command under the soft PMU: counts that are known to the last instruction.
#include <fstream>

#include "emulation.h"

namespace ringside::soft {
namespace {

TEST_F(SoftX86, EveryInstructionAndBranch) {
    const auto counts = stat({bare_x86});
    EXPECT_EQ(counts.exit_code, 0) << counts.stderr_text;
    EXPECT_EQ(counts.at("instructions"), 5 + 2'000'000 + 3);
    EXPECT_EQ(counts.at("branches"), 2 + 1'000'000);
    EXPECT_EQ(counts.at("taken-branches"), 999'999);
    EXPECT_THAT(counts.notes, HasSubstr("in software"));
}

TEST_F(SoftX86, AStringInstructionIsOneAndEachAccessIsSeen) {
    const auto counts = stat({bare_x86, "a", "b"}, "instructions,taken-branches,loads,stores");
    EXPECT_EQ(counts.at("instructions"), 4 + 3 + 1 + 4000 + 1 + 3);
    EXPECT_EQ(counts.at("taken-branches"), 1 + 999 + 1);
    EXPECT_EQ(counts.at("loads"), 1 + 1000);
    EXPECT_EQ(counts.at("stores"), 100'000 + 1000);
}

// Without branches there is a cheaper way to count.
TEST_F(SoftX86, InstructionsAloneAreTheSame) {
    EXPECT_EQ(stat({bare_x86}, "instructions").at("instructions"), 5 + 2'000'000 + 3);
    EXPECT_EQ(stat({bare_x86, "a", "b"}, "instructions").at("instructions"), 4 + 3 + 1 + 4000 + 4);
    const Words shell{"sh", "-c", "ls -l / /usr/bin | sort"};
    const auto all = stat(shell);
    EXPECT_NEAR(stat(shell, "instructions").at("instructions"), all.at("instructions"),
                1e-3 * all.at("instructions"));
}

TEST_F(SoftX86, TheModelsAreFedExactly) {
    const auto counts = stat({bare_x86, "a", "b"},
                             "branch-misses-model,L1-dcache-misses-model,L2-misses-model,"
                             "dTLB-load-misses-model,dTLB-store-misses-model");
    // A predictor that learned the loop misses its begin, twice, and its end.
    EXPECT_GE(counts.at("branch-misses-model"), 3);
    EXPECT_LE(counts.at("branch-misses-model"), 5);
    // 100,000 bytes written once, wherever they begin, the stack, and the front of them again.
    EXPECT_GE(counts.at("L1-dcache-misses-model"), 100'000 / 64 + 1);
    EXPECT_LE(counts.at("L1-dcache-misses-model"), 100'000 / 64 + 4);
    EXPECT_GE(counts.at("dTLB-store-misses-model"), 100'000 / 4096 + 1);
    EXPECT_LE(counts.at("dTLB-store-misses-model"), 100'000 / 4096 + 2);
    EXPECT_EQ(counts.at("dTLB-load-misses-model"), 1) << "the stack";
}

TEST_F(SoftProgram, RepeatsExactly) {
    const auto once = stat({loop_program, "1000000"});
    const auto again = stat({loop_program, "1000000"});
    const auto more = stat({loop_program, "3000000"});
    EXPECT_LE(std::abs(again.at("instructions") - once.at("instructions")),
              1e-6 * once.at("instructions") + 2);
    EXPECT_NEAR(more.at("instructions") - once.at("instructions"), 4'000'000, 4);
    EXPECT_NEAR(more.at("branches") - once.at("branches"), 2'000'000, 2);
}

TEST_F(SoftProgram, Calls) {
    const std::string program = build + "/workloads/many_calls";
    const auto once = stat({program, "10000"});
    const auto more = stat({program, "30000"});
    const double instructions = more.at("instructions") - once.at("instructions");
    EXPECT_EQ(std::fmod(instructions, 20'000), 0) << instructions;
    EXPECT_GE(instructions / 20'000, 4);
    // A call, a return and the loop's end for each.
    EXPECT_EQ(more.at("taken-branches") - once.at("taken-branches"), 60'000);
}

TEST_F(SoftProgram, Threads) {
    const std::string program = bare + "/soft_threads";
    const auto once = stat({program, "8", "1000000"});
    const auto more = stat({program, "8", "2000000"});
    // How often they wait for each other differs by some hundred instructions.
    EXPECT_NEAR(more.at("instructions") - once.at("instructions"), 18'000'000, 20'000);
}

TEST_F(SoftProgram, CountsItself) {
    const auto output = base::run(
        {build + "/ringside", "stat", "--soft", "--", bare + "/self_count", "soft:::INSTRUCTIONS"});
    ASSERT_TRUE(output);
    EXPECT_EQ(output->status.code, 0) << output->stderr_text;
    EXPECT_THAT(output->stdout_text, HasSubstr("difference 4000000\n")) << "exact to the loop";
    EXPECT_THAT(output->stdout_text, HasSubstr("process 20"));
    EXPECT_THAT(output->stdout_text, HasSubstr("child: the parent's absent, its own counts"));
}

TEST_F(SoftProgram, WhatItMayNotCountIsSaid) {
    const auto output = base::run(
        {build + "/ringside", "stat", "--soft", "--", bare + "/self_count", "soft:::LOADS"});
    ASSERT_TRUE(output);
    EXPECT_THAT(output->stdout_text, HasSubstr("was not asked to count LOADS"));
    const auto native = base::run({bare + "/self_count", "soft:::INSTRUCTIONS"});
    ASSERT_TRUE(native);
    EXPECT_THAT(native->stdout_text, HasSubstr("does not run under the soft PMU"));
}

TEST_F(SoftProgram, WhatItStartsIsCountedToo) {
    const auto shell = [&](const std::string& first) {
        return stat({"sh", "-c",
                     loop_program + " " + first + "; env -i " + loop_program + " 1000000; exit 5"});
    };
    const auto once = shell("1000000");
    const auto more = shell("3000000");
    EXPECT_EQ(once.exit_code, 5);
    EXPECT_GT(once.at("instructions"), 4'000'000);
    EXPECT_NEAR(more.at("instructions") - once.at("instructions"), 4'000'000, 5000);
    EXPECT_THAT(once.verdicts, ::testing::IsEmpty());
}

TEST_F(SoftProgram, Scripts) {
    const std::string script = scratch::file("script");
    std::ofstream(script) << "#!/bin/sh -e\n[ \"$1 $0\" = \"x " << script << "\" ]\n"
                          << loop_program << " 1000000\nexec " << loop_program << " 1000000\n";
    fs::permissions(script, fs::perms::owner_all);
    const auto direct = stat({script, "x"});
    EXPECT_EQ(direct.exit_code, 0) << direct.stderr_text;
    EXPECT_GT(direct.at("instructions"), 4'000'000);
    const auto nested = stat({"sh", "-c", script + " x; exit $?"});
    EXPECT_EQ(nested.exit_code, 0) << nested.stderr_text;
    EXPECT_GT(nested.at("instructions"), direct.at("instructions"));
}

TEST_F(SoftProgram, WhatCannotBeFollowedIsSaid) {
    if (!fs::exists(bare + "/tiny_32")) GTEST_SKIP() << "needs a 32-bit compiler";
    const auto counts = stat({"sh", "-c", bare + "/tiny_32; exit 3"});
    EXPECT_EQ(counts.exit_code, 3);
    ASSERT_EQ(counts.verdicts.size(), 3u);
    for (const auto& [name, verdict] : counts.verdicts) {
        EXPECT_THAT(verdict, ::testing::ContainsRegex("^implausible: more than the [1-9][0-9]* "
                                                      "counted: programs that ran uncounted: 1 "))
            << name;
        EXPECT_THAT(verdict, HasSubstr("tiny_32"));
    }
    const auto required = base::run({build + "/ringside", "stat", "--soft", "--require", "-e",
                                     "instructions", "--", "sh", "-c", bare + "/tiny_32; true"});
    ASSERT_TRUE(required);
    EXPECT_EQ(required->status.shell_code(), 125) << required->stderr_text;
    const auto direct = stat({bare + "/tiny_32"});
    EXPECT_EQ(direct.exit_code, 125);
    EXPECT_THAT(direct.stderr_text, HasSubstr("counts 64-bit x86 and Arm programs"));
}

TEST_F(SoftProgram, ASignalIsTheCommandsEnd) {
    const auto counts = stat({"sh", "-c", "kill -9 $$"});
    EXPECT_EQ(counts.exit_code, 137);
    EXPECT_GT(counts.at("instructions"), 1000) << "what was counted is there";
}

// The events of a run that `ringside measure` wrote, by name.
std::map<std::string, nlohmann::json> measured(const std::string& run) {
    std::map<std::string, nlohmann::json> events;
    std::ifstream file(run + "/stat.json");
    const auto json = nlohmann::json::parse(file, nullptr, false);
    EXPECT_TRUE(json.is_object()) << run;
    if (json.is_object()) {
        for (const auto& event : json.at("events")) events[event.at("name")] = event;
    }
    return events;
}

int measure(const std::string& into, const Words& command) {
    Words words{build + "/ringside",
                "measure",
                "--soft-event",
                "instructions,branches,loads,stores",
                "--soft-sample",
                "loads",
                "-r",
                "2",
                "--no-trace",
                "--timeout",
                "3",
                "-o",
                into,
                "--"};
    words.insert(words.end(), command.begin(), command.end());
    const auto output = base::run(words);
    return output ? output->status.shell_code() : -1;
}

TEST_F(SoftProgram, OneExecutionMoreOfAMeasuredCommand) {
    const auto where = scratch::file("measured");
    ASSERT_EQ(measure(where, {loop_program, "100000"}), 0);
    const auto counts = stat({loop_program, "100000"}, "instructions,branches,loads,stores");
    auto first = measured(where + "/1");
    for (const char* event : {"instructions", "branches", "loads", "stores"}) {
        const auto row = first[std::string("soft:") + event];
        ASSERT_TRUE(row.is_object()) << event;
        EXPECT_EQ(row.at("soft"), true);
        EXPECT_EQ(row.at("state"), "ok");
        // The loader's way depends on the environment by a few instructions.
        EXPECT_NEAR(row.at("value").get<double>() / counts.at(event), 1, 0.01) << event;
    }
    EXPECT_EQ(first.at("task-clock").at("soft"), false);
    EXPECT_EQ(measured(where + "/2").count("soft:instructions"), 0u) << "once for all runs";
    std::ifstream side(where + "/side.json");
    EXPECT_THAT(nlohmann::json::parse(side).at("notes").dump(), HasSubstr("soft: counted by qemu-"))
        << "of the first run, and still there after the second";
    EXPECT_TRUE(fs::exists(where + "/1/soft-report.json"));
    EXPECT_FALSE(fs::exists(where + "/2/soft-report.json"));
}

// What the soft PMU executes must be what was measured.
TEST_F(SoftProgram, AnExecutionThatEndsOtherwiseDoesNotCount) {
    const auto where = scratch::file("otherwise");
    ASSERT_EQ(measure(where, {"sh", "-c", "test -z \"$RINGSIDE_SOFT\""}), 0);
    const auto row = measured(where + "/1").at("soft:instructions");
    EXPECT_EQ(row.at("state"), "absent");
    EXPECT_TRUE(row.at("value").is_null());
    EXPECT_THAT(row.at("reason"), HasSubstr("ended with exit code 1, not with 0"));
}

TEST_F(SoftProgram, AnExecutionThatHangsIsEndedAndDoesNotCount) {
    const auto where = scratch::file("hangs");
    ASSERT_EQ(measure(where, {"sh", "-c", "test -z \"$RINGSIDE_SOFT\" || sleep 1000"}), 0);
    const auto row = measured(where + "/1").at("soft:instructions");
    EXPECT_EQ(row.at("state"), "absent");
    EXPECT_THAT(row.at("reason"), HasSubstr("did not end within 3 s"));
}

TEST_F(SoftProgram, ARecordingByAModel) {
    const std::string file = scratch::file("model.data");
    const auto recorded = base::run(
        {build + "/ringside", "record", "--soft", "-e", "dTLB-load-misses-model", "-c", "50", "-o",
         file, "--", build + "/workloads/random_access", "-n", "1000000", "-t", "1"});
    ASSERT_TRUE(recorded);
    EXPECT_THAT(recorded->stderr_text, HasSubstr("every 50 dTLB-load-misses-model"));
    const auto report = base::run({build + "/ringside", "report", "--json", "-i", file});
    ASSERT_TRUE(report);
    const auto json = nlohmann::json::parse(report->stdout_text, nullptr, false);
    ASSERT_TRUE(json.is_object()) << recorded->stderr_text;
    const auto& event = json.at("events").at(0);
    EXPECT_EQ(event.at("name"), "soft:dTLB-load-misses-model");
    EXPECT_GT(event.at("samples").get<double>(), 100);
    EXPECT_EQ(event.at("rows").at(0).at("dso"), "random_access");
}

TEST_F(SoftProgram, ARecordingNamesItsThreads) {
    const std::string file = scratch::file("threads.data");
    const auto recorded = base::run({build + "/ringside", "record", "--soft", "-c", "10007", "-o",
                                     file, "--", bare + "/soft_threads", "2", "1000000"});
    ASSERT_TRUE(recorded);
    EXPECT_EQ(recorded->status.code, 0) << recorded->stderr_text;
    const auto report =
        base::run({build + "/ringside", "report", "--json", "--sort", "comm,tid", "-i", file});
    ASSERT_TRUE(report);
    const auto json = nlohmann::json::parse(report->stdout_text, nullptr, false);
    ASSERT_TRUE(json.is_object()) << report->stderr_text;
    const auto& rows = json.at("events").at(0).at("rows");
    EXPECT_EQ(rows.size(), 3u);
    for (const auto& row : rows) EXPECT_EQ(row.at("comm"), "soft_threads") << row;
}

TEST_F(SoftProgram, ARecordingIsAPerfDataFile) {
    const std::string file = scratch::file("soft.data");
    const std::string program = build + "/workloads/many_calls";
    const auto output = base::run({build + "/ringside", "record", "--soft", "--json", "-c", "1009",
                                   "-o", file, "--", "sh", "-c", program + " 100000; exit 4"});
    ASSERT_TRUE(output);
    EXPECT_EQ(output->status.code, 4) << output->stderr_text;
    const auto json = nlohmann::json::parse(output->stdout_text, nullptr, false);
    ASSERT_TRUE(json.is_object());
    EXPECT_EQ(json.at("events").at(0).at("name"), "soft:instructions");
    EXPECT_EQ(json.at("lost"), 0);
    EXPECT_THAT(json.at("notes").dump(), HasSubstr("soft: sampled in software"));

    const auto report = base::run({build + "/ringside", "report", "--json", "-i", file});
    ASSERT_TRUE(report);
    const auto rows = nlohmann::json::parse(report->stdout_text).at("events").at(0).at("rows");
    std::map<std::string, double> share;
    for (const auto& row : rows) share[row.at("symbol")] += row.at("self_pct").get<double>();
    EXPECT_GT(share["called_many_times"] + share["main"], 50) << "two programs of one process";
    if (!has("perf")) return;
    const auto perf = base::run({"perf", "report", "-i", file, "--stdio", "--no-children"});
    ASSERT_TRUE(perf);
    EXPECT_THAT(perf->stdout_text, HasSubstr("of event 'soft:instructions'"));
    EXPECT_THAT(perf->stdout_text, HasSubstr("called_many_times"));
}

}  // namespace
}  // namespace ringside::soft
