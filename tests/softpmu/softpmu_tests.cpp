// The soft PMU in Debian's QEMU: counts that are known to the last instruction.
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "base/process.h"
#include "soft/count_file.h"
#include "soft/run.h"
#include "tests/scratch.h"

namespace ringside::soft {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

const std::string build = RINGSIDE_BUILD;
const std::string bare = RINGSIDE_BARE;
const std::string plugin = build + "/softpmu/libringside-soft.so";
const std::string loop_program = build + "/workloads/counted_loop";
const std::string bare_x86 = bare + "/bare_x86_64";

bool has(const std::string& program) {
    return base::find_executable(program).has_value();
}

std::string folder(const std::string& name) {
    const std::string path = scratch::file(name);
    fs::create_directories(path);
    return path;
}

struct Stat {
    int exit_code = -1;
    std::map<std::string, double> values;
    std::string notes;
    std::string stderr_text;

    double at(const std::string& name) const {
        const auto found = values.find(name);
        return found == values.end() ? NAN : found->second;
    }
};

Stat stat(const Words& command,
          const std::string& events = "instructions,branches,taken-branches") {
    Words words{build + "/ringside", "stat", "--soft", "--json", "-e", events, "--"};
    words.insert(words.end(), command.begin(), command.end());
    Stat result;
    const auto output = base::run(words);
    if (!output) return result;
    result.exit_code = output->status.shell_code();
    result.stderr_text = output->stderr_text;
    const auto json = nlohmann::json::parse(output->stdout_text, nullptr, false);
    if (!json.is_object()) return result;
    result.notes = json.at("notes").dump();
    for (const auto& event : json.at("events")) {
        EXPECT_TRUE(event.at("soft")) << event;
        EXPECT_EQ(event.at("state"), "ok") << event;
        if (event.at("value").is_number()) result.values[event.at("name")] = event.at("value");
    }
    return result;
}

// Runs to its end under an emulator with the plugin.
base::CommandOutput emulate(const Words& emulator, const std::string& options, const Words& rest) {
    Words words = emulator;
    words.insert(words.end(), {"-plugin", plugin + "," + options});
    words.insert(words.end(), rest.begin(), rest.end());
    auto output = base::run(words);
    return output ? *output : base::CommandOutput();
}

CountFile only_file(const std::string& where) {
    const auto files = files_of_run(where);
    EXPECT_TRUE(files && files->size() == 1);
    auto file = CountFile::read(files->front());
    EXPECT_TRUE(file);
    return std::move(*file);
}

class SoftProgram : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!has("qemu-x86_64")) GTEST_SKIP() << "needs qemu-user";
    }
};
class SoftX86 : public SoftProgram {
  protected:
    void SetUp() override {
        SoftProgram::SetUp();
        if (!fs::exists(bare_x86)) GTEST_SKIP() << "needs an x86-64 compiler";
    }
};

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
    EXPECT_NEAR(more.at("instructions") - once.at("instructions"), 16'000'000, 20'000);
}

TEST_F(SoftProgram, ThreadsHaveCountsOfTheirOwn) {
    const auto where = folder("own");
    emulate({"qemu-x86_64"}, "mode=count,folder=" + where,
            {bare + "/soft_threads", "3", "1000000"});
    const auto path = files_of_run(where).value().front();
    std::ifstream file(path, std::ios::binary);
    std::vector<std::uint64_t> page(1u << 17);
    file.read(reinterpret_cast<char*>(page.data()), static_cast<std::streamsize>(page.size() * 8));
    const vpmu::PageReader reader(page.data(), page.size() * 8);
    ASSERT_TRUE(reader.is_open());
    ASSERT_EQ(reader.header().thread_count, 4u);
    const auto none = [](unsigned) { return std::uint64_t{0}; };
    for (unsigned i = 1; i < 4; ++i) {
        std::uint64_t value = 0;
        ASSERT_TRUE(reader.read_thread_count(i, SOFT_INSTRUCTIONS, none, value));
        EXPECT_NEAR(static_cast<double>(value), 2'000'000, 20'000) << i;
    }
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
    EXPECT_THAT(once.notes, ::testing::Not(HasSubstr("not counted")));
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
    EXPECT_THAT(counts.notes, HasSubstr("1 programs ran outside of QEMU"));
    EXPECT_THAT(counts.notes, HasSubstr("tiny_32"));
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

TEST_F(SoftX86, CountsSurviveTheKilledEmulator) {
    const auto where = folder("killed");
    const auto emulator = base::find_executable("qemu-x86_64").value();
    auto child = base::spawn(
        {emulator, "-plugin", plugin + ",mode=count,folder=" + where, bare_x86, "forever"});
    ASSERT_TRUE(child);
    std::uint64_t seen = 0;
    for (int i = 0; i < 2000 && seen < 1000; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        if (const auto run = read_run(where)) seen = run->totals[SOFT_INSTRUCTIONS];
    }
    child->send_signal(SIGKILL);
    ASSERT_TRUE(child->wait());
    EXPECT_GE(seen, 1000u) << "and can be read while it runs";
    EXPECT_GE(only_file(where).total(SOFT_INSTRUCTIONS), seen);
}

TEST_F(SoftX86, SamplesEveryPeriodExactly) {
    const auto where = folder("samples");
    emulate({"qemu-x86_64"}, "mode=count,period=1001,folder=" + where, {bare_x86});
    const auto file = only_file(where);
    const auto samples = file.samples();
    ASSERT_TRUE(samples);
    EXPECT_EQ(samples->size(), 2'000'008u / 1001);
    // The period is odd, so both instructions of the loop come in turn.
    ASSERT_GT(samples->size(), 3u);
    EXPECT_NE((*samples)[0].ip, (*samples)[1].ip);
    EXPECT_EQ((*samples)[0].ip, (*samples)[2].ip);
    EXPECT_EQ((*samples)[1].ip, (*samples)[3].ip);
    EXPECT_TRUE(fs::exists(fs::path(files_of_run(where)->front()).replace_extension(".maps")));
}

// Of 101,000 stores 100,000 are one string instruction's, and the others another's.
TEST_F(SoftX86, SamplesByOtherCounters) {
    const auto where = folder("stores");
    emulate({"qemu-x86_64"},
            "mode=count,memory=on,period=500,sampled=" + std::to_string(SOFT_STORES) +
                ",folder=" + where,
            {bare_x86, "a", "b"});
    const auto samples = only_file(where).samples();
    ASSERT_TRUE(samples);
    std::map<std::uint64_t, int> by_address;
    for (const auto& sample : *samples) {
        EXPECT_EQ(sample.counter, SOFT_STORES);
        ++by_address[sample.ip];
    }
    ASSERT_EQ(by_address.size(), 2u);
    EXPECT_EQ(by_address.begin()->second, 200) << "the string instruction comes first";
    EXPECT_EQ(by_address.rbegin()->second, 2);
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

TEST_F(SoftX86, TheHistogramKnowsTheHotBlock) {
    const auto where = folder("hot");
    emulate({"qemu-x86_64"}, "mode=hot,folder=" + where, {bare_x86});
    const auto file = only_file(where);
    const auto blocks = file.hot_blocks();
    ASSERT_TRUE(blocks);
    std::uint64_t instructions = 0;
    std::uint64_t hottest = 0;
    for (const auto& block : *blocks) {
        instructions += block.executed * block.instructions;
        hottest = std::max(hottest, block.executed);
    }
    EXPECT_EQ(instructions, 2'000'008u);
    EXPECT_EQ(hottest, 999'999u) << "the first round is a part of the block before it";
    EXPECT_FALSE(file.counts(SOFT_INSTRUCTIONS)) << "nothing else is counted in this mode";
}

TEST_F(SoftX86, BadOptionsAreRefused) {
    const auto output = emulate({"qemu-x86_64"}, "mode=fast", {bare_x86});
    EXPECT_NE(output.status.code, 0);
    EXPECT_THAT(output.stderr_text, HasSubstr("cannot start: not an option: mode=fast"));
    const auto nowhere = emulate({"qemu-x86_64"}, "folder=/no/such/folder", {bare_x86});
    EXPECT_THAT(nowhere.stderr_text, HasSubstr("cannot write to /no/such/folder"));
}

TEST_F(SoftX86, APluginOfAnotherLevelIsRefused) {
    const fs::path wrong = build + "/tests/wrong_level";
    const fs::path command = wrong / ("ringside-" + std::to_string(::getpid()));
    fs::create_hard_link(build + "/ringside", command);  // which looks for its plugin beside it
    const auto output = base::run({command, "stat", "--soft", "--", bare_x86});
    fs::remove(command);
    ASSERT_TRUE(output);
    EXPECT_EQ(output->status.code, 125);
    EXPECT_THAT(output->stderr_text, HasSubstr("API version"));
    EXPECT_THAT(output->stderr_text, HasSubstr("ended before the command's first instruction"));
}

TEST(SoftArm64, EveryInstructionAndBranch) {
    if (!has("qemu-aarch64")) GTEST_SKIP() << "needs qemu-user";
    if (!fs::exists(bare + "/bare_arm64")) GTEST_SKIP() << "needs g++-aarch64-linux-gnu";
    const auto counts = stat({bare + "/bare_arm64"});
    EXPECT_EQ(counts.exit_code, 0) << counts.stderr_text;
    EXPECT_EQ(counts.at("instructions"), 2 + 2'000'000 + 3);
    EXPECT_EQ(counts.at("branches"), 1'000'000);
    EXPECT_EQ(counts.at("taken-branches"), 999'999);
}

TEST(SoftMachine, EachVcpuAndEachDevice) {
    if (!has("qemu-system-aarch64")) GTEST_SKIP() << "needs qemu-system-arm";
    if (!fs::exists(bare + "/machine_arm64")) GTEST_SKIP() << "needs g++-aarch64-linux-gnu";
    const auto where = folder("machine");
    const auto output = emulate({"qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a57", "-smp",
                                 "2", "-m", "128", "-display", "none", "-serial", "null"},
                                "mode=full,folder=" + where, {"-kernel", bare + "/machine_arm64"});
    EXPECT_EQ(output.status.code, 0) << output.stderr_text;
    const auto file = only_file(where);
    // The one that waits for the other, and a loader of some instructions before both.
    EXPECT_GE(file.total(SOFT_INSTRUCTIONS), 2'000'000u + 3000 + 1'000'000);
    EXPECT_EQ(file.total(SOFT_KERNEL_INSTRUCTIONS), 0u);
    EXPECT_EQ(file.total(SOFT_IO), 1000u);
    const auto devices = file.devices();
    ASSERT_EQ(devices.size(), 1u);
    EXPECT_EQ(devices[0].name, "pl011");
    EXPECT_EQ(devices[0].writes, 1000u);
    EXPECT_EQ(devices[0].reads, 0u);
}

// What `ringside soft` says; not an object if it fails.
nlohmann::json soft_verb(const Words& arguments) {
    Words words{build + "/ringside", "soft", "--json"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const auto output = base::run(words);
    return nlohmann::json::parse(output ? output->stdout_text : "", nullptr, false);
}

double instructions_of(const nlohmann::json& counts) {
    EXPECT_TRUE(counts.is_object());
    if (!counts.is_object()) return NAN;
    EXPECT_EQ(counts.at("events").at(0).at("name"), "INSTRUCTIONS");
    const auto& value = counts.at("events").at(0).at("value");
    return value.is_number() ? value.get<double>() : 0;
}

TEST(SoftMachine, IsSwitchedOnAndOffWhileItRuns) {
    if (!has("qemu-system-aarch64")) GTEST_SKIP() << "needs qemu-system-arm";
    if (!fs::exists(bare + "/traps_arm64")) GTEST_SKIP() << "needs g++-aarch64-linux-gnu";
    const auto where = folder("switched");
    auto machine =
        base::spawn({"qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a57", "-smp", "2", "-m",
                     "128", "-display", "none", "-serial", "null", "-kernel", bare + "/traps_arm64",
                     "-plugin", plugin + ",start=off,folder=" + where});
    ASSERT_TRUE(machine);
    std::string file;
    for (int i = 0; i < 1000 && file.empty(); ++i) {
        const auto files = files_of_run(where);
        if (files && files->size() == 1 && CountFile::read(files->front())) file = files->front();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ASSERT_NE(file, "") << "the machine did not start";
    EXPECT_EQ(instructions_of(soft_verb({file})), 0) << "it begins switched off";
    for (int round = 0; round < 3; ++round) {
        const auto on = soft_verb({"--switch", "on", file});
        EXPECT_EQ(on.at("counting"), true);
        const double before = instructions_of(on);
        double now = before;
        for (int i = 0; i < 1000 && now < before + 1000; ++i)
            now = instructions_of(soft_verb({file}));
        EXPECT_GE(now, before + 1000) << "it counts";
        const auto off = soft_verb({"--switch", "off", file});
        EXPECT_EQ(off.at("counting"), false);
        EXPECT_EQ(instructions_of(soft_verb({file})), instructions_of(off)) << "it does not";
    }
    machine->send_signal(SIGKILL);
    ASSERT_TRUE(machine->wait());
    const auto late = base::run({build + "/ringside", "soft", "--switch", "on", file});
    ASSERT_TRUE(late);
    EXPECT_EQ(late->status.code, 125);
    EXPECT_THAT(late->stderr_text, HasSubstr("has ended"));
}

TEST_F(SoftProgram, HasNoSwitch) {
    const auto where = folder("program");
    emulate({"qemu-x86_64"}, "mode=count,folder=" + where, {bare_x86});
    const auto files = files_of_run(where);
    ASSERT_TRUE(files && files->size() == 1);
    const auto output = base::run({build + "/ringside", "soft", "--switch", "off", files->front()});
    ASSERT_TRUE(output);
    EXPECT_THAT(output->stderr_text, HasSubstr("counts a program"));
    EXPECT_EQ(instructions_of(soft_verb({files->front()})), 2'000'008);
    const auto refused = emulate({"qemu-x86_64"}, "start=off,folder=" + where, {bare_x86});
    EXPECT_THAT(refused.stderr_text, HasSubstr("start=off is for machines"));
}

}  // namespace
}  // namespace ringside::soft
