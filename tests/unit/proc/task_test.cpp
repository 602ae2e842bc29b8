#include "proc/task.h"

#include <atomic>
#include <cerrno>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../platform/temp_tree.h"
#include "base/text.h"

namespace ringside::proc {
namespace {

using platform::TempTree;
using ::testing::Contains;
using ::testing::ElementsAre;

TEST(Tasks, AreListedByNumber) {
    TempTree tree;
    for (const char* name :
         {"1", "10", "9", "self", "0", "4194304", "4194305", "-3", "18446744073709551617"})
        tree.put("/proc/" + std::string(name) + "/task/7/comm", "x\n");
    EXPECT_THAT(list_processes(tree.root()).value_or({}), ElementsAre(1, 9, 10, 4194304));
    EXPECT_THAT(list_threads(tree.root(), 9).value_or({}), ElementsAre(7));
    EXPECT_EQ(list_threads(tree.root(), 2).error().code, ErrorCode::not_found);
}

TEST(Tasks, BelongToAProcess) {
    TempTree tree;
    // The kernel writes the newline of a name as two letters.
    tree.put("/proc/12/status", "Name:\ta\\nTgid:\t666\nUmask:\t0022\nTgid:\t11\nPid:\t12\n");
    EXPECT_EQ(process_of(tree.root(), 12).value_or(0), 11);
    for (const char* status :
         {"", "Name:\tx\n", "Tgid:\t0\n", "Tgid:\t4294967297\n", "Tgid:\tx\n"}) {
        tree.put("/proc/12/status", status);
        EXPECT_EQ(process_of(tree.root(), 12).error().code, ErrorCode::bad_input) << status;
    }
    EXPECT_EQ(process_of(tree.root(), 13).error().code, ErrorCode::not_found);
}

// Whatever a thread calls itself, it is read as itself.
TEST(Tasks, HostileNamesForgeNothing) {
    for (const char* name : {"a) R 1 2 (", "a\n1 (b) Z 1", ")))", "((", " ", "\n\n\n"}) {
        std::atomic<pid_t> tid = 0;
        std::atomic<bool> over = false;
        std::thread thread([&] {
            ::prctl(PR_SET_NAME, name);
            tid = ::gettid();
            while (!over) ::usleep(1000);
        });
        while (tid == 0) ::usleep(1000);
        const base::SysRoot root;
        const auto stat = read_thread_stat(root, tid);
        const auto whole = read_process_stat(root, ::getpid());
        const auto process = process_of(root, tid);
        const auto called = read_name(root, tid);
        const auto threads = list_threads(root, ::getpid());
        over = true;
        thread.join();
        ASSERT_TRUE(stat && whole) << name;
        EXPECT_TRUE(stat->state == 'S' || stat->state == 'R') << name << stat->state;
        EXPECT_EQ(stat->parent, ::getppid()) << name;
        EXPECT_EQ(whole->parent, ::getppid()) << name;
        EXPECT_EQ(process.value_or(0), ::getpid()) << name;
        EXPECT_EQ(called.value_or("?"), std::string(base::trim_end(name)));
        EXPECT_THAT(threads.value_or({}), Contains(tid.load()));
    }
}

TEST(Tasks, ThatAreGoneAreNotRead) {
    const base::SysRoot root;
    constexpr pid_t nobody = 1 << 30;
    EXPECT_FALSE(list_threads(root, nobody));
    EXPECT_FALSE(process_of(root, nobody));
    EXPECT_FALSE(read_name(root, nobody));
    EXPECT_FALSE(read_thread_stat(root, nobody));
    EXPECT_FALSE(read_process_stat(root, nobody));
    EXPECT_FALSE(read_schedstat(root, nobody));
    EXPECT_FALSE(read_sleep_sums(root, nobody));
    EXPECT_FALSE(read_maps(root, nobody));
    EXPECT_EQ(open_pidfd(nobody).error().sys_errno, ESRCH);
}

TEST(Tasks, QemusNamesSayTheVcpu) {
    EXPECT_EQ(vcpu_of_thread_name("CPU 12/KVM"), 12u);
    for (const char* name :
         {"CPU /KVM", "fc_vcpu 0", "", "CPU 1/KVM ", "CPU 4294967296/KVM", "CPU/KVM", "CPU -1/KVM"})
        EXPECT_FALSE(vcpu_of_thread_name(name)) << name;
}

TEST(Tasks, TheirMappingsHoldTheirCode) {
    const auto here = reinterpret_cast<std::uint64_t>(&list_processes);
    const auto maps = read_maps(base::SysRoot(), ::getpid());
    ASSERT_TRUE(maps);
    int found = 0;
    for (const auto& mapping : *maps) {
        if (here < mapping.start || here >= mapping.end) continue;
        ++found;
        EXPECT_TRUE(mapping.executable);
        EXPECT_THAT(mapping.path, ::testing::HasSubstr("unit_tests"));
    }
    EXPECT_EQ(found, 1);
}

TEST(Pidfd, CanBeReadOnceTheProcessHasEnded) {
    const pid_t child = ::fork();
    if (child == 0) {
        while (true) ::pause();
    }
    const auto fd = open_pidfd(child);
    ASSERT_TRUE(fd);
    pollfd wait{fd->get(), POLLIN, 0};
    EXPECT_EQ(::poll(&wait, 1, 0), 0);
    ::kill(child, SIGKILL);
    EXPECT_EQ(::poll(&wait, 1, -1), 1);
    ::waitpid(child, nullptr, 0);
}

TEST(Schedstat, HasThreeNumbers) {
    const auto stat = parse_schedstat("12345 678 9\n");
    ASSERT_TRUE(stat);
    EXPECT_EQ(stat->cpu_ns, 12345u);
    EXPECT_EQ(stat->waiting_ns, 678u);
    EXPECT_EQ(stat->arrivals, 9u);
    for (const char* text : {"", "1 2", "1 2 x", "1 -2 3"})
        EXPECT_FALSE(parse_schedstat(text)) << text;
    TempTree tree;
    tree.put("/proc/5/schedstat", "1 2 3\n");
    EXPECT_EQ(read_schedstat(tree.root(), 5)->waiting_ns, 2u);
}

// A name with all that makes the line hard to read.
constexpr const char* stat_line =
    "4711 (a) b (c d)) D 1 4711 4711 0 -1 4194304 1234 99 5 77 250 31 12 7 20 0 3 0 4242 1000 200 "
    "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 45 0 0 0 0 0 0 0 0 0 0\n";

TEST(TaskStat, ReadsAroundAnyName) {
    const auto stat = parse_task_stat(stat_line);
    ASSERT_TRUE(stat);
    EXPECT_EQ(stat->state, 'D');
    EXPECT_EQ(stat->parent, 1);
    EXPECT_EQ(stat->minor_faults, 1234u);
    EXPECT_EQ(stat->major_faults, 5u);
    EXPECT_EQ(stat->user_ticks, 250u);
    EXPECT_EQ(stat->system_ticks, 31u);
    EXPECT_EQ(stat->children_user_ticks, 12u);
    EXPECT_EQ(stat->children_system_ticks, 7u);
    EXPECT_EQ(stat->block_io_ticks, 45u);
}

TEST(TaskStat, AShortLineHasNoBlockIo) {
    const auto stat = parse_task_stat("1 (x) R 0 0 0 0 -1 0 1 2 3 4 5 6 7 8\n");
    ASSERT_TRUE(stat);
    EXPECT_EQ(stat->children_system_ticks, 8u);
    EXPECT_FALSE(stat->block_io_ticks);
}

TEST(TaskStat, RefusesWhatIsNone) {
    for (const char* text :
         {"", ")", "1 (x", "1 (x) ", "1 (x) R", "1 (x) RS 0 0 0 0 -1 0 1 2 3 4",
          "1 (x) R 0 0 0 0 -1 0 1 2 3 4 5 6 seven 8", "1 (x) R -1 0 0 0 -1 0 1 2 3 4 5 6 7 8",
          "1 (x) R 4194305 0 0 0 -1 0 1 2 3 4 5 6 7 8"}) {
        EXPECT_FALSE(parse_task_stat(text)) << text;
    }
}

// The times of a process are in another file than those of its first thread.
TEST(TaskStat, OfAThreadIsNotOfItsProcess) {
    TempTree tree;
    tree.put("/proc/4711/stat", stat_line);
    tree.put("/proc/4711/task/4711/stat", "4711 (x) R 0 0 0 0 -1 0 1 2 3 4 5 6 7 8\n");
    EXPECT_EQ(read_process_stat(tree.root(), 4711)->user_ticks, 250u);
    EXPECT_EQ(read_thread_stat(tree.root(), 4711)->user_ticks, 5u);
}

TEST(SleepSums, BlockedIsTakenOutOfSleep) {
    const auto sums = parse_sleep_sums(
        "sh (4711, #threads: 1)\n---------\n"
        "se.exec_start                                :      12345678.901234\n"
        "sum_sleep_runtime                            :          1500.000001\n"
        "sum_block_runtime                            :           500.000000\n"
        "iowait_sum                                   :           400.250000\n");
    ASSERT_TRUE(sums);
    EXPECT_EQ(sums->sleeping_ns, 1'000'000'001u);
    EXPECT_EQ(sums->blocked_ns, 500'000'000u);
    EXPECT_EQ(sums->io_ns, 400'250'000u);
}

TEST(SleepSums, OlderKernelsWriteAPrefix) {
    const auto sums = parse_sleep_sums(
        "se.statistics.sum_sleep_runtime  : 7.000000\n"
        "se.statistics.sum_block_runtime  : 2.000000\n"
        "se.statistics.iowait_sum         : 1.000000\n");
    ASSERT_TRUE(sums);
    EXPECT_EQ(sums->sleeping_ns, 5'000'000u);
}

TEST(SleepSums, AreNotThereWhileSwitchedOff) {
    EXPECT_FALSE(parse_sleep_sums("se.exec_start : 1.000000\nnr_switches : 12\n"));
    EXPECT_FALSE(parse_sleep_sums(""));
    EXPECT_FALSE(
        parse_sleep_sums("sum_sleep_runtime : 1\nsum_block_runtime : 1.000000\n"
                         "iowait_sum : 99999999999999999999.000000\n"));
}

}  // namespace
}  // namespace ringside::proc
