#include "accounting/lifetimes.h"

#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../thread_sanitizer.h"

namespace ringside::accounting {
namespace {

perf::TaskRecord began(std::uint32_t tid, std::uint64_t time_ns) {
    return {false, 10, tid, 10, time_ns};
}

perf::TaskRecord ended(std::uint32_t tid, std::uint64_t time_ns) {
    return {true, 10, tid, 10, time_ns};
}

TEST(LifeTable, AddsUpLivesWhateverTheOrderOfRecords) {
    LifeTable table;
    table.begin(10, 10, 100);
    table.apply({ended(12, 450), began(11, 200), ended(11, 300), began(12, 400)});
    EXPECT_EQ(table.all().size(), 3u);
    EXPECT_EQ(table.total_ns(1000), 900u + 100u + 50u);
}

TEST(LifeTable, ANumberCanBeUsedAgain) {
    LifeTable table;
    table.apply({began(11, 100), ended(11, 200), began(11, 300), ended(11, 350)});
    EXPECT_EQ(table.all().size(), 2u);
    EXPECT_EQ(table.total_ns(1000), 150u);
}

TEST(LifeTable, WhoIsKnownAlreadyDoesNotBeginAgain) {
    LifeTable table;
    table.begin(10, 11, 100);
    table.apply({began(11, 150)});
    EXPECT_EQ(table.total_ns(200), 100u);
}

TEST(LifeTable, AnUnknownEndIsNobodys) {
    LifeTable table;
    table.apply({ended(99, 100)});
    EXPECT_TRUE(table.all().empty());
}

TEST(LifeTable, AThreadThatExecutesGoesOnAsTheFirstOne) {
    LifeTable table;
    table.begin(10, 10, 0);
    table.apply({began(11, 100), ended(10, 200)});
    table.rename(11, 10);
    table.apply({ended(10, 500)});
    EXPECT_EQ(table.total_ns(1000), 200u + 400u);
}

TEST(Lifetimes, OfThisProcessHaveEveryThread) {
    if (sanitizer::thread) GTEST_SKIP() << sanitizer::adds_threads;
    constexpr std::size_t count = 1000;
    Lifetimes lifetimes{base::SysRoot(), {clocks::Subject::Extent::process, ::getpid(), true}};
    if (!lifetimes.incomplete().empty()) GTEST_SKIP() << lifetimes.incomplete();
    const std::size_t before = lifetimes.table().all().size();
    for (std::size_t i = 0; i < count; ++i) {
        std::thread([] {}).join();
        if (i % 100 == 0) lifetimes.update();
    }
    lifetimes.update();
    EXPECT_EQ(lifetimes.incomplete(), "");
    EXPECT_EQ(lifetimes.table().all().size(), before + count);
}

TEST(Lifetimes, HaveChildrenOnlyWhenFollowed) {
    if (sanitizer::thread) GTEST_SKIP() << sanitizer::adds_threads;
    using Extent = clocks::Subject::Extent;
    Lifetimes tree{base::SysRoot(), {Extent::process_and_children, ::getpid(), true}};
    Lifetimes alone{base::SysRoot(), {Extent::process, ::getpid(), true}};
    if (!tree.incomplete().empty()) GTEST_SKIP() << tree.incomplete();
    const std::size_t before = alone.table().all().size();
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    tree.update();
    alone.update();
    EXPECT_EQ(alone.table().all().size(), before);
    EXPECT_EQ(tree.table().all().size(), before + 1);
    EXPECT_TRUE(tree.table().all().back().end_ns);
}

}  // namespace
}  // namespace ringside::accounting
