#include "run/folder.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/read_file.h"
#include "base/scratch_dir.h"

namespace ringside::run {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Measurement value(const std::string& name, const std::string& unit, double number) {
    Measurement value;
    value.name = name;
    value.unit = unit;
    value.value = number;
    return value;
}

Side a_side() {
    Side side;
    side.name = "vm";
    side.kind = SideKind::kvm;
    side.command = {"./solver", "a b"};
    side.co_run = "sleep 9";
    side.environment.kernel = "6.1.0";
    side.environment.cpus = 4;
    side.environment.memory_bytes = 4e9;
    side.environment.hypervisor = "kvm";
    side.environment.vmm = "qemu";
    side.build_ids = {{"libc.so.6", "beef"}};
    side.notes = {"a note"};
    return side;
}

// Units and states as they were measured, whatever the names would suggest.
Run a_run() {
    Run run;
    run.counts = {value("page-faults", "", 64), value("cpu-clock", "", 7),
                  value("net:rx", "bytes", 9e15 + 2)};
    run.counts[0].running_ratio = 0.5;
    run.counts[0].scale_error = 1.5;
    run.counts[1].place = "CPU 3";
    run.counts[2].filter = "ecx == 1";
    Measurement cycles = value("cycles", "", 0);
    cycles.state = CounterState::dead;
    cycles.reason = "it never counts";
    cycles.left_out = true;
    run.counts.push_back(cycles);
    run.time.emplace();
    run.time->clock.real_ns = 100;
    run.time->user.ns = 60;
    run.time->unexplained_ns = -3;
    run.intervals = {{0.5, {value("page-faults", "", 3)}, run.time}};
    run.sampled = {{"work", "ns", 3, 1, 30, false}, {"soft:loads", "", 1, 0, 5, true}};
    run.hits = {{"work", "a.out", "main", false, true, 20, 2, "user"},
                {"work", "[kernel]", "do_\xff", true, true, 10, 1, "guest_kernel"},
                {"soft:loads", "a.out", "0x10", false, false, 5, 1, "user"}};
    run.stacks = {{"work", "ns", {{"main", "a.out"}}, {{0, 0, 0}, {0, 0, 30}}}};
    run.exit_code = 3;
    run.stolen = Stolen{5, 10, 1, {{1, 0, 2}, {11, 0, 7}}};
    run.warnings = {"3 samples were lost"};
    return run;
}

class RunFolder : public ::testing::Test {
  protected:
    void SetUp() override {
        auto scratch = base::ScratchDir::make("ringside-run-test");
        ASSERT_TRUE(scratch);
        scratch_.emplace(std::move(*scratch));
        path_ = scratch_->path() / "side";
    }
    void write(const std::string& file, const std::string& text) const {
        std::ofstream(path_ / file) << text;
    }
    // With one run of which only `file` holds `text`.
    std::string refusal(const std::string& file, const std::string& text) {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
        auto writer = FolderWriter::create(path_.string(), a_side());
        EXPECT_TRUE(writer && writer->add(a_run()));
        write(file, text);
        const auto side = read_folder(path_.string());
        return side ? "" : side.error().what;
    }

    std::optional<base::ScratchDir> scratch_;
    fs::path path_;
};

TEST_F(RunFolder, ASideComesBackAsItWas) {
    auto writer = FolderWriter::create(path_.string(), a_side());
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->add(a_run()));
    run::Run second = a_run();
    second.notes = {"a note", "another"};
    second.build_ids["a.out"] = "f00d";
    ASSERT_TRUE(writer->add(second));
    const auto side = read_folder(path_.string());
    ASSERT_TRUE(side) << side.error().what;
    EXPECT_EQ(side->name, "vm");
    EXPECT_EQ(side->kind, SideKind::kvm);
    EXPECT_THAT(side->command, ElementsAre("./solver", "a b"));
    EXPECT_EQ(side->co_run, "sleep 9");
    EXPECT_EQ(side->environment.kernel, "6.1.0");
    EXPECT_EQ(side->environment.cpu, "");
    EXPECT_EQ(side->environment.cpus, 4);
    EXPECT_EQ(side->environment.memory_bytes, 4e9);
    EXPECT_EQ(side->environment.vmm, "qemu");
    EXPECT_FALSE(side->environment.cpu_hz);
    EXPECT_EQ(side->build_ids.at("libc.so.6"), "beef");
    EXPECT_EQ(side->build_ids.at("a.out"), "f00d");
    EXPECT_THAT(side->notes, ElementsAre("a note", "another"));
    EXPECT_THAT(side->runs, SizeIs(2));
}

TEST_F(RunFolder, ValuesComeBackWithUnitAndState) {
    auto writer = FolderWriter::create(path_.string(), a_side());
    ASSERT_TRUE(writer && writer->add(a_run()));
    const auto side = read_folder(path_.string());
    ASSERT_TRUE(side) << side.error().what;
    const run::Run& run = side->runs.front();
    const run::Run was = a_run();
    for (const auto& before : was.counts) {
        const Measurement* after = run.find(before.name);
        ASSERT_NE(after, nullptr) << before.name;
        EXPECT_EQ(after->unit, before.unit) << "never guessed from " << before.name;
        EXPECT_EQ(after->state, before.state);
        EXPECT_EQ(after->reason, before.reason);
        EXPECT_EQ(after->value, before.value);
        EXPECT_EQ(after->running_ratio, before.running_ratio);
        EXPECT_EQ(after->scale_error, before.scale_error);
        EXPECT_EQ(after->filter, before.filter);
        EXPECT_EQ(after->place, before.place);
        EXPECT_EQ(after->left_out, before.left_out);
    }
    EXPECT_EQ(run.find("time.user")->value, 60);
    EXPECT_EQ(run.find("time.user")->unit, "ns");
    EXPECT_EQ(run.find("time.unexplained")->value, -3);
    EXPECT_EQ(run.find("time.blocked"), nullptr) << "what is not known is in the rest";
    EXPECT_EQ(run.exit_code, 3);
    ASSERT_THAT(run.intervals, SizeIs(1));
    EXPECT_EQ(run.intervals[0].at_s, 0.5);
    EXPECT_EQ(run.intervals[0].counts.back().value, 3);
}

TEST_F(RunFolder, SamplesComeBackWithUnitAndMode) {
    auto writer = FolderWriter::create(path_.string(), a_side());
    ASSERT_TRUE(writer && writer->add(a_run()));
    const auto side = read_folder(path_.string());
    ASSERT_TRUE(side) << side.error().what;
    const run::Run& run = side->runs.front();
    const Sampled* work = run.find_sampled("work");
    ASSERT_NE(work, nullptr);
    EXPECT_EQ(work->unit, "ns");
    EXPECT_EQ(work->samples, 3);
    EXPECT_EQ(work->lost, 1);
    EXPECT_EQ(work->value, 30);
    EXPECT_FALSE(work->soft);
    EXPECT_TRUE(run.find_sampled("soft:loads")->soft);
    ASSERT_THAT(run.hits, SizeIs(3));
    const Hit& kernel = run.hits[2];
    EXPECT_EQ(kernel.symbol, "do_\\xff") << "JSON is UTF-8";
    EXPECT_EQ(kernel.mode, "guest_kernel");
    EXPECT_TRUE(kernel.in_kernel);
    EXPECT_FALSE(run.hits[0].resolved);
    ASSERT_THAT(run.stacks, SizeIs(1));
    EXPECT_EQ(run.stacks[0].unit, "ns");
    ASSERT_TRUE(run.stolen);
    EXPECT_EQ(run.stolen->stolen_ns, 5u);
    ASSERT_THAT(run.stolen->readings, SizeIs(2));
    EXPECT_EQ(run.stolen->readings[1].stolen_ns, 7u);
    EXPECT_THAT(run.warnings, ElementsAre("3 samples were lost"));
}

TEST_F(RunFolder, OneThatHoldsSomethingIsNotWrittenInto) {
    fs::create_directories(path_);
    EXPECT_TRUE(FolderWriter::create(path_.string(), a_side()));
    write("mine", "");
    const auto writer = FolderWriter::create(path_.string(), a_side());
    ASSERT_FALSE(writer);
    EXPECT_THAT(writer.error().what, HasSubstr("not empty"));
}

// Written by the version before this codec: its sampled events have no unit.
TEST(RunFolderOfAnEarlierVersion, IsRead) {
    const auto side = read_folder(RINGSIDE_FIXTURES "/run/earlier");
    ASSERT_TRUE(side) << side.error().what;
    EXPECT_EQ(side->name, "vm");
    EXPECT_EQ(side->kind, SideKind::tcg);
    EXPECT_EQ(side->environment.kernel, "6.18.44-fc-v669");
    EXPECT_EQ(side->environment.cpus, 2);
    EXPECT_EQ(side->build_ids.size(), 4u);
    ASSERT_THAT(side->runs, SizeIs(2));
    const run::Run& run = side->runs[0];
    EXPECT_EQ(run.find("page-faults")->value, 64);
    EXPECT_EQ(run.find("task-clock")->unit, "ns");
    EXPECT_EQ(run.find("cycles")->state, CounterState::absent);
    EXPECT_EQ(run.find("time.wall")->value, 74882912);
    EXPECT_EQ(run.find("time.unexplained")->value, -16502147);
    EXPECT_EQ(run.find_sampled("cpu-clock")->unit, "ns");
    EXPECT_EQ(run.find_sampled("page-faults")->unit, "");
    EXPECT_EQ(run.hits.front().symbol, "__strcmp_evex");
    EXPECT_EQ(run.hits.front().value, 12024048);
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.stacks, SizeIs(2));
    EXPECT_THAT(run.intervals, SizeIs(1));
    EXPECT_THAT(run.output_digest, ::testing::StartsWith("6:"));
    EXPECT_EQ(run.stolen->cpus, 2u);
}

TEST_F(RunFolder, TheFilesOfARunAreReadOrRefused) {
    for (const char* file : {"side.json", "1/stat.json", "1/report.json", "1/soft-report.json"}) {
        EXPECT_THAT(refusal(file, "{}"), HasSubstr("not of the schema")) << file;
        EXPECT_THAT(refusal(file, "[]"), HasSubstr("no JSON object")) << file;
        EXPECT_THAT(refusal(file, "{\"a\":" + std::string(400'000, '[')), HasSubstr("too deep"))
            << file;
    }
    EXPECT_THAT(refusal("1/stacks.json", "{}"), HasSubstr("stacks.json: not of the schema"));
    EXPECT_THAT(refusal("1/report.json", R"({"schema": "ringside.report/1", "events": [7]})"),
                HasSubstr("damaged"));
    EXPECT_THAT(refusal("side.json", R"({"schema": "ringside.run/1", "environment": 7})"),
                IsEmpty())
        << "of another type is not known";
    EXPECT_THAT(refusal("side.json", R"({"schema": "ringside.run/1", "runs": 2})"),
                HasSubstr("2/stat.json"));
    EXPECT_THAT(refusal("exits.json", "{}"), HasSubstr("not of the schema ringside.kvm-stat/1"));
    EXPECT_THAT(refusal("1/intervals.jsonl", "{\"schema\": 7}\n[["), IsEmpty())
        << "a line that was cut ends them";
}

TEST_F(RunFolder, WhatIsNoRegularFileIsNotOpened) {
    auto writer = FolderWriter::create(path_.string(), a_side());
    ASSERT_TRUE(writer && writer->add(a_run()));
    fs::remove(path_ / "1/stat.json");
    ASSERT_EQ(::mkfifo((path_ / "1/stat.json").c_str(), 0600), 0);
    const auto side = read_folder(path_.string());
    ASSERT_FALSE(side);
    EXPECT_THAT(side.error().what, HasSubstr("not a regular file"));
}

TEST_F(RunFolder, WhatOnlyItsSenderKnowsGoesBeforeWhatItSays) {
    auto writer = FolderWriter::create(path_.string(), a_side());
    ASSERT_TRUE(writer && writer->add(a_run()) && writer->add(a_run()));
    const auto said = base::read_file((path_ / "side.json").string());
    ASSERT_TRUE(write_place(path_.string(), {SideKind::tcg, "sleep 1", {"it was far"}, 1}));
    const auto side = read_folder(path_.string());
    ASSERT_TRUE(side) << side.error().what;
    EXPECT_EQ(side->kind, SideKind::tcg);
    EXPECT_EQ(side->co_run, "sleep 1");
    EXPECT_THAT(side->notes, ElementsAre("a note", "it was far"));
    EXPECT_THAT(side->runs, SizeIs(1));
    EXPECT_EQ(base::read_file((path_ / "side.json").string()).value(), said.value());
    ASSERT_TRUE(write_place(path_.string(), {}));
    const auto plain = read_folder(path_.string());
    EXPECT_EQ(plain->kind, SideKind::kvm) << "who knows nothing changes nothing";
    EXPECT_EQ(plain->co_run, "sleep 9");
    EXPECT_THAT(plain->runs, SizeIs(2));
    write("place.json", "{}");
    EXPECT_FALSE(read_folder(path_.string()));
}

TEST_F(RunFolder, WhatAHostCountedOfItsGuestGoesWithTheFirstRun) {
    auto writer = FolderWriter::create(path_.string(), a_side());
    ASSERT_TRUE(writer && writer->add(a_run()));
    write("exits.json", R"({"schema": "ringside.kvm-stat/1", "lost": 3, "machines": [
        {"exits": 10, "halts": 2, "exit_ns": 700, "reasons": [
            {"name": "a", "count": 1, "total_ns": 100}, {"name": "b", "count": 7, "total_ns": 600},
            {"name": "HLT", "count": 2, "total_ns": 9, "halt": true}]}]})");
    const auto side = read_folder(path_.string());
    ASSERT_TRUE(side && side->exits);
    EXPECT_EQ(side->exits->count, 8);
    ASSERT_THAT(side->exits->reasons, SizeIs(2));
    EXPECT_EQ(side->exits->reasons[0].name, "b") << "longest first";
    EXPECT_EQ(side->runs[0].find(exits_event)->value, 8);
    EXPECT_EQ(side->runs[0].find(exit_time_event)->unit, "ns");
    EXPECT_THAT(side->notes.back(), HasSubstr("3 records"));
    write("exits.json", R"({"schema": "ringside.kvm-stat/1", "reason": "no tracefs"})");
    EXPECT_THAT(read_folder(path_.string())->notes.back(), HasSubstr("not counted: no tracefs"));
}

}  // namespace
}  // namespace ringside::run
