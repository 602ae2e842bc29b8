#include "base/process.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>

namespace ringside::base {
namespace {

TEST(Process, PassesArgumentsUntouched) {
    const auto output = run({"printf", "%s|", "a b", "$(x)", ""});
    ASSERT_TRUE(output);
    EXPECT_EQ(output->stdout_text, "a b|$(x)||");
    EXPECT_EQ(output->status.shell_code(), 0);
}

TEST(Process, KeepsBothOutputsAndTheExitCode) {
    const auto output = run({"sh", "-c", "echo out; echo err >&2; exit 3"});
    ASSERT_TRUE(output);
    EXPECT_EQ(output->stdout_text, "out\n");
    EXPECT_EQ(output->stderr_text, "err\n");
    EXPECT_EQ(output->status.code, 3);
}

TEST(Process, ASignalIsReportedAsAShellDoes) {
    const auto output = run({"sh", "-c", "kill -TERM $$"});
    ASSERT_TRUE(output);
    EXPECT_EQ(output->status.signal, SIGTERM);
    EXPECT_EQ(output->status.shell_code(), 128 + SIGTERM);
}

TEST(Process, SaysHowMuchCpuTimeItsChildrenUsed) {
    const auto idle = run({"true"});
    const auto busy = run({"sh", "-c", "(i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done); :"});
    ASSERT_TRUE(idle && busy);
    EXPECT_GT(busy->status.cpu_ns, idle->status.cpu_ns);
}

TEST(Process, AMissingProgramIsNotFound) {
    const auto output = run({"/no/such/program"});
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().code, ErrorCode::not_found);
    EXPECT_NE(output.error().what.find("/no/such/program"), std::string::npos);
}

TEST(Process, AFileThatIsNoProgramIsNotPermitted) {
    const auto output = run({"/etc/passwd"});
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().code, ErrorCode::not_permitted);
}

TEST(Process, WhatRunsTooLongIsKilled) {
    const auto output = run({"sleep", "100"}, std::chrono::milliseconds(50));
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().code, ErrorCode::timed_out);
}

TEST(Process, AHeldChildWaitsForItsRelease) {
    SpawnOptions options;
    options.held = true;
    auto child = spawn({"true"}, options);
    ASSERT_TRUE(child);
    auto status = child->wait_for(std::chrono::milliseconds(30));
    ASSERT_TRUE(status);
    EXPECT_FALSE(status->has_value());
    ASSERT_TRUE(child->release());
    const auto done = child->wait();
    ASSERT_TRUE(done);
    EXPECT_EQ(done->code, 0);
}

// On one CPU parent and child take turns: the parent goes on before the child sleeps, if it may.
TEST(Process, AHeldChildSleepsWhenItIsHandedOver) {
    cpu_set_t before;
    ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    SpawnOptions options;
    options.held = true;
    for (int i = 0; i < 20; ++i) {
        auto child = spawn({"true"}, options);
        ASSERT_TRUE(child);
        std::ifstream file("/proc/" + std::to_string(child->pid()) + "/stat");
        std::string stat;
        std::getline(file, stat);
        EXPECT_NE(stat.find(") S "), std::string::npos) << stat;
    }
    EXPECT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(Process, AHeldChildReportsAMissingProgramAtItsRelease) {
    SpawnOptions options;
    options.held = true;
    auto child = spawn({"/no/such/program"}, options);
    ASSERT_TRUE(child);
    const auto released = child->release();
    ASSERT_FALSE(released);
    EXPECT_EQ(released.error().code, ErrorCode::not_found);
}

TEST(Process, ADestroyedChildIsGone) {
    pid_t pid = -1;
    {
        auto child = spawn({"sleep", "100"});
        ASSERT_TRUE(child);
        pid = child->pid();
    }
    EXPECT_NE(::kill(pid, 0), 0);
}

}  // namespace
}  // namespace ringside::base
