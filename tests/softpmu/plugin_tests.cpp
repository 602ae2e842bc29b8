// The plugin itself in Debian's QEMU, on programs and machines of which every instruction is known.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include <signal.h>

#include "emulation.h"

namespace ringside::soft {
namespace {

// Of the only process of a run: instructions of each thread, in the order in which they began.
std::vector<std::uint64_t> threads_of(const std::string& where) {
    const auto files = files_of_run(where);
    EXPECT_TRUE(files && files->size() == 1);
    std::ifstream file(files->front(), std::ios::binary);
    std::vector<std::uint64_t> page(1u << 17);
    file.read(reinterpret_cast<char*>(page.data()), static_cast<std::streamsize>(page.size() * 8));
    const vpmu::PageReader reader(page.data(), page.size() * 8);
    EXPECT_TRUE(reader.is_open());
    // Of the first thread, which ends with the process.
    const auto first = [&](unsigned counter) {
        std::uint64_t raw = 0;
        EXPECT_TRUE(reader.read_raw(0, counter, raw));
        return raw;
    };
    std::vector<std::uint64_t> counts(reader.is_open() ? reader.header().thread_count : 0);
    for (unsigned i = 0; i < counts.size(); ++i)
        EXPECT_TRUE(reader.read_thread_count(i, SOFT_INSTRUCTIONS, first, counts[i]));
    return counts;
}

// QEMU adds up the first thread's instructions by itself, until there is a second one, which
// executes the same code: none of its instructions may be the first one's, nor a third one's, and
// none is lost. With branches, each thread has its own counts from the beginning.
class SoftThreads : public SoftProgram, public ::testing::WithParamInterface<std::uint64_t> {};

TEST_P(SoftThreads, HaveCountsOfTheirOwn) {
    const std::uint64_t iterations = GetParam();
    const Words program{bare + "/soft_threads", "3", std::to_string(iterations)};
    const auto counts_with = [&](const std::string& options, const std::string& where) {
        emulate({"qemu-x86_64"}, options + ",folder=" + where, program);
        return threads_of(where);
    };
    const auto expected = counts_with("mode=count,branches=on", folder("apart" + program.back()));
    ASSERT_EQ(expected.size(), 4u);
    // The second one is not always quick enough to begin before QEMU has changed its ways, and
    // seldom to end by then.
    for (int round = 0; round < 8; ++round) {
        const auto counts = counts_with(
            "mode=count", folder("alone" + program.back() + "." + std::to_string(round)));
        ASSERT_EQ(counts.size(), 4u);
        // The first one waits for the others with some instructions more or less.
        EXPECT_NEAR(static_cast<double>(counts[0]), static_cast<double>(expected[0]), 1000);
        for (unsigned i = 1; i < 4; ++i) {
            EXPECT_GE(expected[i], 2 * iterations) << i;
            EXPECT_EQ(counts[i], expected[i]) << i;
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Of, SoftThreads, ::testing::Values(1'000, 20'000, 1'000'000));

// Instructions of a shell that moves the folder of its counts away, so that its second child, who
// counts to `rounds`, cannot have a file there.
std::uint64_t parent_of_uncounted(const std::string& where, const std::string& rounds) {
    const std::string moved = where + ".moved";
    const auto output =
        emulate({"qemu-x86_64"}, "mode=count,folder=" + where,
                {base::find_executable("sh").value(), "-c",
                 "mv $0 $1; (i=0; while [ $i -lt $2 ]; do i=$((i+1)); done); echo $$", where, moved,
                 rounds});
    EXPECT_THAT(output.stderr_text, HasSubstr("is not counted: No such file or directory"));
    const auto file = newest_file(moved, std::atoi(output.stdout_text.c_str()));
    EXPECT_TRUE(file);
    const auto counts = CountFile::read(file.value()).value();
    EXPECT_EQ(counts.extension().uncounted_programs, 1u);
    EXPECT_THAT(counts.first_uncounted(), ::testing::EndsWith("sh"));
    return counts.total(SOFT_INSTRUCTIONS);
}

TEST_F(SoftProgram, AChildWithoutAFileIsNotCountedAsItsParent) {
    const auto few = parent_of_uncounted(folder("few"), "1");
    const auto many = parent_of_uncounted(folder("many"), "20000");
    EXPECT_GT(few, 0u);
    EXPECT_NEAR(static_cast<double>(many), static_cast<double>(few), 20'000)
        << "a round has a hundred instructions and more";
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

// Programs as they are, with all that a compiler and a linker make: instructions across pages,
// which QEMU begins to translate and leaves out again, among them. With one instruction in each
// block there is nothing to be wrong about.
TEST_F(SoftX86, AllWaysOfCountingAgree) {
    for (const Words& program :
         {Words{"true"}, Words{"sort", bare_x86}, Words{"gzip", "-c", bare_x86}}) {
        Words command = program;
        command[0] = base::find_executable(program[0]).value();
        int runs = 0;
        const auto count = [&](const Words& emulator, const std::string& options) {
            const std::string where = folder(program[0] + std::to_string(++runs));
            EXPECT_EQ(emulate(emulator, options + ",folder=" + where, command).status.code, 0);
            return only_file(where);
        };
        const auto truth =
            count({"qemu-x86_64", "-singlestep"}, "mode=count").total(SOFT_INSTRUCTIONS);
        EXPECT_GT(truth, 50'000u);
        for (const char* mode :
             {"mode=count", "mode=sample", "mode=count,branches=on", "mode=full"})
            EXPECT_EQ(count({"qemu-x86_64"}, mode).total(SOFT_INSTRUCTIONS), truth) << mode;
    }
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

std::vector<std::uint64_t> sampled_addresses(const std::string& name, const std::string& options) {
    const auto where = folder(name);
    emulate({"qemu-x86_64"}, "mode=count," + options + ",folder=" + where, {bare_x86});
    const auto samples = only_file(where).samples();
    std::vector<std::uint64_t> addresses;
    EXPECT_TRUE(samples);
    for (const auto& sample : *samples) addresses.push_back(sample.ip);
    return addresses;
}

TEST_F(SoftX86, SamplesAreTheSameWithBranches) {
    const auto plain = sampled_addresses("plain", "period=1001");
    EXPECT_FALSE(plain.empty());
    EXPECT_EQ(sampled_addresses("followed", "branches=on,period=1001"), plain);
}

// All but two of 1,000,002 are the loop's, whose last one is not taken.
TEST_F(SoftX86, SamplesByBranches) {
    const std::string by = "branches=on,period=1000,sampled=";
    const auto all = sampled_addresses("all", by + std::to_string(SOFT_BRANCHES));
    ASSERT_EQ(all.size(), 1000u);
    EXPECT_THAT(all, ::testing::Each(all.front()));
    const auto taken = sampled_addresses("taken", by + std::to_string(SOFT_TAKEN_BRANCHES));
    EXPECT_EQ(taken.size(), 999u);
    EXPECT_THAT(taken, ::testing::Each(all.front()));
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

using Places = std::map<std::uint64_t, int>;

// How many samples of `counter` lie where. Each vCPU has one for each `period`, no more and no
// less.
Places samples_of_machine(const std::string& mode, soft_counter counter, std::uint64_t period) {
    const auto where = folder("sampled" + mode + std::to_string(counter));
    const auto sampled = counter == SOFT_INSTRUCTIONS ? "" : ",sampled=" + std::to_string(counter);
    emulate({"qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a57", "-smp", "2", "-m", "128",
             "-display", "none", "-serial", "null"},
            mode + ",period=" + std::to_string(period) + sampled + ",folder=" + where,
            {"-kernel", bare + "/machine_arm64"});
    const auto file = only_file(where);
    std::uint64_t expected = 0;
    for (const std::uint64_t count : file.of_vcpus(counter)) expected += count / period;
    EXPECT_GT(expected, 0u);
    const auto samples = file.samples();
    EXPECT_TRUE(samples);
    Places places;
    if (!samples) return places;
    EXPECT_EQ(samples->size(), expected);
    for (const auto& sample : *samples) {
        EXPECT_EQ(sample.counter, static_cast<std::uint32_t>(counter));
        ++places[sample.ip];
    }
    return places;
}

// Three loops of the machine always end after the same rounds; whether one vCPU waits for the other
// in a fourth one is up to the host, and a fifth one sleeps.
TEST(SoftMachine, SamplesByEachCounterOfItsBlocks) {
    if (!has("qemu-system-aarch64")) GTEST_SKIP() << "needs qemu-system-arm";
    if (!fs::exists(bare + "/machine_arm64")) GTEST_SKIP() << "needs g++-aarch64-linux-gnu";
    const auto in_both = [](const Places& some, const Places& others) {
        return std::count_if(some.begin(), some.end(),
                             [&](const auto& place) { return others.contains(place.first); });
    };
    auto missed = samples_of_machine("mode=full", SOFT_BRANCH_MISS_MODEL, 1);
    std::erase_if(missed, [](const auto& place) { return place.second != 3; });
    EXPECT_GE(missed.size(), 3u) << "two to learn a loop, one when it ends";
    for (const std::string mode : {"mode=sample", "mode=full"}) {
        SCOPED_TRACE(mode);
        const auto branches = samples_of_machine(mode, SOFT_BRANCHES, 101);
        EXPECT_LE(branches.size(), 5u) << "nothing but what ends a loop";
        EXPECT_GE(in_both(branches, samples_of_machine(mode, SOFT_TAKEN_BRANCHES, 101)), 3);
        const auto instructions = samples_of_machine(mode, SOFT_INSTRUCTIONS, 101);
        EXPECT_GE(in_both(branches, instructions), 3);
        EXPECT_GE(instructions.size(), 7u) << "each instruction of the three loops";
        EXPECT_GE(in_both(branches, missed), 3);
    }
}

// What `ringside soft` says; not an object if it fails.
nlohmann::json soft_verb(const Words& arguments) {
    Words words{build + "/ringside", "soft", "--json"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const auto output = base::run(words);
    return nlohmann::json::parse(output ? output->stdout_text : "", nullptr, false);
}

// Counts go on over a reset, and each vCPU has its own.
TEST(SoftMachine, ManyVcpusAResetAndAFloodOfAccesses) {
    if (!has("qemu-system-aarch64")) GTEST_SKIP() << "needs qemu-system-arm";
    if (!fs::exists(bare + "/crowd_arm64")) GTEST_SKIP() << "needs g++-aarch64-linux-gnu";
    for (const std::string mode : {"mode=count", "mode=full"}) {
        SCOPED_TRACE(mode);
        const auto where = folder("crowd" + mode);
        const auto output =
            emulate({"qemu-system-aarch64", "-M", "virt,gic-version=3", "-cpu", "cortex-a57",
                     "-smp", "64", "-m", "256", "-display", "none", "-serial", "null"},
                    mode + ",folder=" + where, {"-kernel", bare + "/crowd_arm64"});
        EXPECT_EQ(output.status.code, 0) << output.stderr_text;
        const auto file = only_file(where);
        const auto executed = file.of_vcpus(SOFT_INSTRUCTIONS);
        ASSERT_EQ(executed.size(), 64u);
        EXPECT_GE(executed[0], 600'000u) << "the flood";
        for (std::size_t i = 1; i < executed.size(); ++i) {
            EXPECT_GE(executed[i], 10'000u) << i;
            EXPECT_LE(executed[i], 20'000u) << i;
        }
        const std::string path = files_of_run(where).value().front();
        EXPECT_EQ(soft_verb({path})["events"][0]["vcpus"], nlohmann::json(executed));
        const auto shown = base::run({build + "/ringside", "soft", "--per-cpu", path});
        ASSERT_TRUE(shown);
        EXPECT_THAT(shown->stdout_text, HasSubstr("  INSTRUCTIONS (soft)\n"));
        EXPECT_THAT(shown->stdout_text, HasSubstr("    on vCPU 63\n"));
        if (mode == "mode=count") continue;
        const auto devices = file.devices();
        ASSERT_EQ(devices.size(), 1u);
        EXPECT_EQ(devices[0].name, "pl011");
        EXPECT_EQ(devices[0].writes, 200'000u);
    }
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
