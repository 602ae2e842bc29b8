// Messages as a kernel sent them (tests/fixtures/taskstats), whole, cut short and changed; and the
// running kernel, where it answers us.
#include "accounting/taskstats.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/taskstats.h>
#include <unistd.h>

namespace ringside::accounting {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint16_t family = 31;      // that the recording kernel had given
constexpr std::size_t stats_offset = 36;  // behind the headers
constexpr pid_t recorded_tid = 16649;     // of the process in the recordings

Bytes recorded(const std::string& name) {
    std::ifstream file(RINGSIDE_FIXTURES "/taskstats/" + name, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    Bytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

TEST(TaskstatsMessages, FindTheFamily) {
    EXPECT_EQ(parse_family(recorded("family.bin")), family);
    EXPECT_FALSE(parse_family(recorded("thread.bin")));
}

TEST(TaskstatsMessages, OfAThreadThatLives) {
    const auto threads = parse_taskstats(recorded("thread.bin"), family);
    ASSERT_EQ(threads.size(), 1u);
    EXPECT_EQ(threads[0].tid, recorded_tid);
    EXPECT_EQ(threads[0].cpu_delay_ns, 97'275'611u);
    EXPECT_EQ(threads[0].block_io_ns, 0u);
    EXPECT_EQ(threads[0].user_us, 63956u);
    EXPECT_EQ(threads[0].system_us, 0u);
    EXPECT_EQ(threads[0].minor_faults, 1926u);
    EXPECT_EQ(threads[0].write_protect_copy_ns, 0u);
}

// The kernel adds the sums of the process, as its last thread ends; they are not a thread's.
TEST(TaskstatsMessages, TheLastWordsOfAProcessAreOneThreads) {
    const auto threads = parse_taskstats(recorded("exit.bin"), family);
    ASSERT_EQ(threads.size(), 1u);
    EXPECT_EQ(threads[0].tid, recorded_tid);
}

TEST(TaskstatsMessages, SeveralInOneDatagram) {
    Bytes two = recorded("thread.bin");
    const Bytes more = two;
    two.insert(two.end(), more.begin(), more.end());
    EXPECT_EQ(parse_taskstats(two, family).size(), 2u);
}

TEST(TaskstatsMessages, OfAnotherFamilySayNothing) {
    EXPECT_TRUE(parse_taskstats(recorded("thread.bin"), family + 1).empty());
}

TEST(TaskstatsMessages, AreLeftOutWhereCutShort) {
    const Bytes whole = recorded("thread.bin");
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::span<const std::byte> part(whole.data(), size);
        EXPECT_TRUE(parse_taskstats(part, family).empty()) << size;
    }
}

// An older kernel's struct is shorter: its newest members are unknown, not 0.
TEST(TaskstatsMessages, OfAnOlderKernelLackItsNewestMembers) {
    Bytes bytes = recorded("thread.bin");
    const auto shorten = [&](std::size_t at, std::uint16_t by) {
        std::uint16_t length = 0;
        std::memcpy(&length, bytes.data() + at, sizeof length);
        length = static_cast<std::uint16_t>(length - by);
        std::memcpy(bytes.data() + at, &length, sizeof length);
    };
    const auto cut = static_cast<std::uint16_t>(bytes.size() - stats_offset -
                                                offsetof(taskstats, compact_count));
    for (const std::size_t at : {std::size_t{0}, std::size_t{20}, std::size_t{32}}) {
        shorten(at, cut);
    }
    bytes.resize(bytes.size() - cut);
    const auto threads = parse_taskstats(bytes, family);
    ASSERT_EQ(threads.size(), 1u);
    EXPECT_EQ(threads[0].cpu_delay_ns, 97'275'611u);
    EXPECT_TRUE(threads[0].thrashing_ns);
    EXPECT_FALSE(threads[0].compaction_ns);
    EXPECT_FALSE(threads[0].write_protect_copy_ns);
}

TEST(TaskstatsMessages, OfVersion15AreNotTrusted) {
    Bytes bytes = recorded("thread.bin");
    bytes[stats_offset] = std::byte{15};
    EXPECT_TRUE(parse_taskstats(bytes, family).empty());
}

class LiveTaskstats : public testing::Test {
  protected:
    void SetUp() override {
        auto opened = Taskstats::open();
        if (!opened) GTEST_SKIP() << opened.error().what;
        stats_.emplace(std::move(*opened));
    }
    std::optional<Taskstats> stats_;
};

TEST_F(LiveTaskstats, KnowsUsAndNobodyElse) {
    const auto own = stats_->read(::gettid());
    ASSERT_TRUE(own);
    EXPECT_EQ(own->tid, ::gettid());
    EXPECT_FALSE(stats_->read(0x3fffffff));
}

TEST_F(LiveTaskstats, EveryEndedThreadLeavesItsLastWords) {
    constexpr std::size_t count = 1000;
    ASSERT_TRUE(stats_->listen());
    std::vector<pid_t> tids;
    for (std::size_t i = 0; i < count; ++i) {
        std::thread([&] { tids.push_back(::gettid()); }).join();
    }
    // join() returns while the kernel is still taking the last thread down
    while (stats_->read(tids.back())) std::this_thread::yield();
    std::vector<pid_t> heard;
    for (const auto& ended : stats_->take_ended()) heard.push_back(ended.tid);
    EXPECT_FALSE(stats_->lost());
    // Numbers may be used again, and other processes end threads, too.
    for (const pid_t tid : tids) {
        EXPECT_GE(std::count(heard.begin(), heard.end(), tid),
                  std::count(tids.begin(), tids.end(), tid));
    }
}

}  // namespace
}  // namespace ringside::accounting
