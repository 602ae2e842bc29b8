#include "measure/targets.h"

#include <gmock/gmock.h>
#include <unistd.h>

namespace ringside::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Ids, AreNumbersAboveZero) {
    EXPECT_THAT(*parse_ids("3, 17", "process"), ElementsAre(3, 17));
    for (const auto* bad : {"", "0", "me", "1,", "-1", "99999999999"}) {
        const auto ids = parse_ids(bad, "process");
        ASSERT_FALSE(ids) << bad;
        EXPECT_THAT(ids.error().what, HasSubstr("not a process id"));
    }
}

Result<Targets> parsed(TargetWords words) {
    return Targets::parse(words);
}

TEST(Targets, WithoutAWordAreTheCommand) {
    const Targets targets = parsed({}).value();
    EXPECT_TRUE(targets.of_command());
    ASSERT_THAT(targets.whole(17), SizeIs(1));
    EXPECT_EQ(targets.whole(17)[0].id, 17);
    EXPECT_TRUE(targets.parts(17).value()[0].inherit);
    record::Settings settings;
    base::Fd cgroup;
    ASSERT_TRUE(targets.sample({}, ::getpid(), settings, cgroup));
    EXPECT_TRUE(settings.start_on_exec);
    EXPECT_TRUE(settings.inherit);
    ASSERT_THAT(settings.targets, SizeIs(1));
    EXPECT_EQ(settings.targets[0].pid, ::getpid());
}

TEST(Targets, OfAProcessEndWithIt) {
    TargetWords words;
    words.pids = std::to_string(::getpid());
    const auto targets = parsed(words);
    ASSERT_TRUE(targets);
    EXPECT_FALSE(targets->of_command());
    EXPECT_TRUE(targets->has_threads());
    EXPECT_EQ(targets->awaited_process(), ::getpid());
    EXPECT_THAT(targets->awaited().processes, ElementsAre(::getpid()));
    EXPECT_EQ(targets->subject(), "process " + words.pids);
    words.per_thread = true;
    const auto parts = parsed(words)->parts(0);
    ASSERT_TRUE(parts);
    EXPECT_THAT(parts->front().label, HasSubstr("thread "));
    EXPECT_FALSE(parts->front().inherit);
}

TEST(Targets, OfThreadsAreAwaitedOneByOne) {
    TargetWords words;
    words.tids = std::to_string(::gettid());
    const auto targets = parsed(words);
    ASSERT_TRUE(targets);
    EXPECT_THAT(targets->awaited().threads, ElementsAre(::gettid()));
    EXPECT_THAT(targets->awaited().processes, IsEmpty());
}

TEST(Targets, OfCpusEndWithNobody) {
    TargetWords words;
    words.cpus = "0";
    words.all = true;  // perf's users write -a -C 0
    const auto targets = parsed(words);
    ASSERT_TRUE(targets);
    EXPECT_FALSE(targets->has_threads());
    EXPECT_EQ(targets->awaited_process(), 0);
    EXPECT_EQ(targets->subject(), "CPU 0");
    record::Settings settings;
    base::Fd cgroup;
    ASSERT_TRUE(targets->sample({}, 0, settings, cgroup));
    EXPECT_TRUE(settings.all_processes);
    EXPECT_FALSE(settings.start_on_exec);
    EXPECT_FALSE(settings.inherit);
}

TEST(Targets, WordsThatCannotBeMeantAreRefused) {
    const auto refusal = [](const TargetWords& words) {
        const auto targets = parsed(words);
        return targets ? "" : targets.error().what;
    };
    TargetWords both;
    both.pids = "1";
    both.all = true;
    EXPECT_THAT(refusal(both), HasSubstr("exclude each other"));
    TargetWords nobody;
    nobody.pids = "2147483647";
    EXPECT_EQ(refusal(nobody), "no process 2147483647");
    TargetWords cpu;
    cpu.cpus = "1000";
    EXPECT_EQ(refusal(cpu), "no CPU 1000");
    cpu.cpus = "zero";
    EXPECT_THAT(refusal(cpu), HasSubstr("not a list of CPUs"));
    TargetWords threads;
    threads.all = threads.per_thread = true;
    EXPECT_THAT(refusal(threads), HasSubstr("--per-thread"));
    TargetWords cgroup;
    cgroup.cgroup = "no/such/group";
    EXPECT_THAT(refusal(cgroup), HasSubstr("no/such/group"));
}

}  // namespace
}  // namespace ringside::measure
