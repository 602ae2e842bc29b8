// The io component's names and arithmetic, and what it says where nobody counts; the counting
// itself is tested in tests/preload, in programs that carry the interposer.
#include "components/io/io.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "components/io/events.h"
#include "components/io/record.h"
#include "components/io/sources.h"

namespace ringside::components::io {
namespace {

namespace fs = std::filesystem;

std::size_t bucket_of(io_word ticks) {
    return io_bucket(ticks);
}

TEST(IoBuckets, AreLogLinearAndMonotonic) {
    EXPECT_EQ(bucket_of(0), 0u);
    EXPECT_EQ(bucket_of(7), 7u);
    EXPECT_EQ(bucket_of(8), 8u);
    EXPECT_EQ(bucket_of(15), 15u);
    EXPECT_EQ(bucket_of(16), 16u);
    EXPECT_EQ(bucket_of(17), 16u);
    EXPECT_EQ(bucket_of(~io_word{0}), IO_BUCKETS - 1u);
    std::size_t last = 0;
    for (io_word ticks = 1; ticks < (io_word{1} << 41); ticks += 1 + ticks / 16) {
        ASSERT_GE(bucket_of(ticks), last);
        last = bucket_of(ticks);
    }
}

TEST(IoPercentiles, AreWithinABucketOfTheTruth) {
    for (const io_word ticks : {3u, 100u, 12345u, 99999999u}) {
        std::vector<io_word> histogram(IO_BUCKETS);
        histogram[bucket_of(ticks)] = 99;
        histogram[bucket_of(ticks * 100)] += 1;
        const auto truth = static_cast<double>(ticks);
        EXPECT_NEAR(percentile(histogram, 50), truth, truth * 0.065);
        EXPECT_NEAR(percentile(histogram, 99), truth, truth * 0.065);
        EXPECT_NEAR(percentile(histogram, 100), truth * 100, truth * 6.5);
    }
    EXPECT_EQ(percentile(std::vector<io_word>(IO_BUCKETS), 50), 0);
}

// The names that programs written for PAPI's appio use, in its order.
TEST(IoEvents, PapisNamesAreKnown) {
    const std::vector<std::string> papi{"READ_BYTES",
                                        "READ_CALLS",
                                        "READ_ERR",
                                        "READ_INTERRUPTED",
                                        "READ_WOULD_BLOCK",
                                        "READ_SHORT",
                                        "READ_EOF",
                                        "READ_BLOCK_SIZE",
                                        "READ_USEC",
                                        "WRITE_BYTES",
                                        "WRITE_CALLS",
                                        "WRITE_ERR",
                                        "WRITE_SHORT",
                                        "WRITE_INTERRUPTED",
                                        "WRITE_WOULD_BLOCK",
                                        "WRITE_BLOCK_SIZE",
                                        "WRITE_USEC",
                                        "OPEN_CALLS",
                                        "OPEN_ERR",
                                        "OPEN_FDS",
                                        "SELECT_USEC",
                                        "RECV_BYTES",
                                        "RECV_CALLS",
                                        "RECV_ERR",
                                        "RECV_INTERRUPTED",
                                        "RECV_WOULD_BLOCK",
                                        "RECV_SHORT",
                                        "RECV_EOF",
                                        "RECV_BLOCK_SIZE",
                                        "RECV_USEC",
                                        "SOCK_READ_BYTES",
                                        "SOCK_READ_CALLS",
                                        "SOCK_READ_ERR",
                                        "SOCK_READ_SHORT",
                                        "SOCK_READ_WOULD_BLOCK",
                                        "SOCK_READ_USEC",
                                        "SOCK_WRITE_BYTES",
                                        "SOCK_WRITE_CALLS",
                                        "SOCK_WRITE_ERR",
                                        "SOCK_WRITE_SHORT",
                                        "SOCK_WRITE_WOULD_BLOCK",
                                        "SOCK_WRITE_USEC",
                                        "SEEK_CALLS",
                                        "SEEK_ABS_STRIDE_SIZE",
                                        "SEEK_USEC"};
    const auto component = make({});
    const auto events = component->events();
    ASSERT_GT(events.size(), papi.size());
    for (std::size_t i = 0; i < papi.size(); ++i) {
        EXPECT_EQ(events[i].name, papi[i]);
        const auto found = component->find("appio:::" + papi[i]);
        ASSERT_TRUE(found) << papi[i];
        EXPECT_EQ(found->id, i);
    }
    EXPECT_EQ(component->find("READ_MINDS").error().code, ErrorCode::not_found);
}

TEST(IoEvents, EveryFormulaIsDefined) {
    for (const auto& event : all_events()) {
        const Formula formula(event);
        EXPECT_FALSE(formula.words().empty()) << event.name;
        EXPECT_FALSE(event.description.empty()) << event.name;
        for (const WordIndex word : formula.words()) EXPECT_LT(word, words_in_counts) << event.name;
    }
}

std::int64_t value_of(std::string_view name, const io_counts& counts, double ns_per_tick) {
    const auto event = make({})->find(name).value();
    const Formula formula(event);
    std::vector<io_word> words;
    for (const WordIndex word : formula.words()) {
        words.push_back(reinterpret_cast<const io_word*>(&counts)[word]);
    }
    return formula.value(words, ns_per_tick);
}

TEST(IoEvents, ArithmeticOfEachKind) {
    io_counts counts{};
    counts.ops[IO_READ] = {.calls = 4,
                           .bytes = 1000,
                           .asked_bytes = 4096,
                           .errors = 2,
                           .interrupted = 1,
                           .would_block = 1,
                           .short_calls = 3,
                           .ends = 5,
                           .timed = 6,
                           .ticks = 3'000'000};
    counts.ops[IO_OPEN].calls = 10;
    counts.ops[IO_OPEN].errors = 3;
    counts.ops[IO_CLOSE].calls = 5;
    counts.ops[IO_CLOSE].errors = 1;
    counts.ops[IO_SEEK].calls = 2;
    counts.ops[IO_SEEK].bytes = 300;
    EXPECT_EQ(value_of("READ_BYTES", counts, 1), 1000);
    EXPECT_EQ(value_of("READ_BLOCK_SIZE", counts, 1), 1024);
    EXPECT_EQ(value_of("READ_SHORT", counts, 1), 3);
    EXPECT_EQ(value_of("READ_EOF", counts, 1), 5);
    EXPECT_EQ(value_of("READ_KERNEL_CALLS", counts, 1), 6);
    EXPECT_EQ(value_of("READ_USEC", counts, 0.5), 1500);
    EXPECT_EQ(value_of("READ_NSEC", counts, 0.5), 1'500'000);
    EXPECT_EQ(value_of("OPEN_FDS", counts, 1), 3);
    EXPECT_EQ(value_of("SEEK_ABS_STRIDE_SIZE", counts, 1), 150);
    EXPECT_EQ(value_of("WRITE_BLOCK_SIZE", counts, 1), 0);
}

TEST(IoComponent, SaysHowToGetWhatIsNotThere) {
    if (Interposer::find()) GTEST_SKIP() << "the interposer is in this program";
    const auto component = make({});
    EXPECT_THAT(component->availability().reason, testing::HasSubstr("LD_PRELOAD"));
    const std::vector<session::ComponentEvent> events{component->find("READ_BYTES").value()};
    const auto opened = component->open(events, {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::unsupported);
    EXPECT_THAT(opened.error().hint, testing::HasSubstr("ringside io -- CMD"));
}

class IoTablesTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "ringside_tablesXXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        table_ = std::make_unique<io_table>();
        table_->magic = IO_MAGIC;
        table_->pid = 100;
        table_->clock = IO_CLOCK_NS;
        table_->slots_used = 2;
        table_->files_used = 2;
        std::strcpy(table_->command, "worker");
        std::strcpy(table_->files[1].path, "/data");
        table_->slots[0].state = table_->slots[1].state = IO_SLOT_TAKEN;
        table_->slots[1].tid = 101;
        table_->slots[1].counts.ops[IO_READ].calls = 7;
        table_->slots[1].files[1].read_calls = 6;
        table_->slots[1].files[0].read_calls = 1;
    }
    void TearDown() override { fs::remove_all(folder_); }
    void write(const std::string& name, std::size_t bytes = sizeof(io_table)) const {
        std::ofstream(folder_ + "/" + name, std::ios::binary)
            .write(reinterpret_cast<const char*>(table_.get()),
                   static_cast<std::streamsize>(bytes));
    }

    std::string folder_;
    std::unique_ptr<io_table> table_;
};

TEST_F(IoTablesTest, ThreadsAndFilesOfAllProcesses) {
    write("100.0");
    table_->pid = 200;
    write("200.0");
    const auto record = read_tables(folder_);
    ASSERT_TRUE(record) << record.error().what;
    EXPECT_EQ(record->programs, 2);
    ASSERT_EQ(record->threads.size(), 2u);
    EXPECT_EQ(record->threads[0].pid, 100);
    EXPECT_EQ(record->threads[0].tid, 101);
    EXPECT_EQ(record->threads[0].command, "worker");
    EXPECT_EQ(record->threads[1].pid, 200);
    ASSERT_EQ(record->files.size(), 2u);
    EXPECT_EQ(record->files[0].path, "");
    EXPECT_EQ(record->files[0].counts.read_calls, 2u);
    EXPECT_EQ(record->files[1].path, "/data");
    EXPECT_EQ(record->files[1].counts.read_calls, 12u);
}

// What a process that was killed, or one that means harm, may leave.
TEST_F(IoTablesTest, WhatIsNoTableIsSkipped) {
    write("short", 100);
    table_->magic = 0;
    write("unmarked");
    EXPECT_EQ(read_tables(folder_)->programs, 0);
    table_->magic = IO_MAGIC;
    table_->slots_used = table_->files_used = ~0u;
    std::memset(table_->command, 'x', sizeof table_->command);
    std::memset(table_->files[1].path, 'y', sizeof table_->files[1].path);
    write("boastful");
    const auto record = read_tables(folder_);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->threads.size(), 1u);
    EXPECT_EQ(record->threads[0].command, std::string(64, 'x'));
    EXPECT_EQ(record->files[1].path, std::string(IO_PATH_BYTES, 'y'));
}

TEST(IoTables, AFolderThatIsNotThere) {
    EXPECT_FALSE(read_tables("/no/such/folder"));
}

}  // namespace
}  // namespace ringside::components::io
